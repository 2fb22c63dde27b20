"""Random templates from a grammar, for make_template_golden.py. The same seed gives the same templates."""
import itertools
import random

STRINGS = ["s", "word", "mixed", "lines", "quote", "'a'", "'<b>'", "'x y'", "''", "'one\\ntwo'", "names[0]", "d.é"]
NUMBERS = ["n", "neg", "x", "zero", "whole", "1", "2", "10", "0.5", "-3"]
LISTS = ["l", "names", "empty", "nested", "[1, 'b', none]", "range(4)", "d.a", "people", "('p', 'q')", "s.split()"]
DICTS = ["d", "ed", "people[0]", "{'k': s, 'v': n}", "people[0].addr"]
STRING_FILTERS = ["upper", "lower", "title", "capitalize", "trim", "trim('a ')", "replace('o', '0')", "replace('l', '', 1)",
                  "indent(2)", "indent(3, true)", "string", "tojson", "reverse", "truncate(8, true, '.', 0)", "escape", "center(12)"]
STRING_METHODS = ["strip()", "lstrip('a ')", "rstrip()", "upper()", "lower()", "title()", "replace('a', 'bb')", "capitalize()",
                  "ljust(9, '.')", "swapcase()", "zfill(6)", "removeprefix('s')"]
LIST_FILTERS = ["sort", "reverse|list", "unique|list", "map('string')|list", "select|list", "list", "map('upper')|list",
                "map(attribute='name')|list", "reject('none')|list", "map('tojson')|list", "batch(2)|list"]
TESTS = ["defined", "none", "string", "number", "mapping", "iterable", "sequence", "odd", "true", "boolean", "undefined", "integer"]


class Grammar:
    def __init__(self, rng):
        self.rng = rng
        self.names = []
        self.loops = 0
        self.macros = []

    def pick(self, options):
        return self.rng.choice(options)

    def string(self, depth):
        kind = self.rng.randrange(12)
        if depth <= 0 or kind < 2:
            return self.pick(STRINGS + self.names)
        if kind == 2:
            return f"({self.expression(depth - 1)} ~ {self.expression(depth - 1)})"
        if kind == 3:
            return f"({self.string(depth - 1)} + {self.string(depth - 1)})"
        if kind == 4:
            return f"({self.string(depth - 1)})[{self.pick(['1:', ':-1', '::-1', '::2', '0', '-1', '2:4'])}]"
        if kind == 5:
            return f"({self.string(depth - 1)}).{self.pick(STRING_METHODS)}"
        if kind == 6:
            return f"({self.list(depth - 1)})|join({self.pick(['', repr(', '), repr('-')])})"
        if kind == 7:
            return f"({self.string(depth - 1)} if {self.condition(depth - 1)} else {self.string(depth - 1)})"
        if kind == 8:
            return f"({self.expression(depth - 1)})|default({self.string(depth - 1)}, true)|string"
        if kind == 9:
            return f"('%s|%s' % ({self.expression(depth - 1)}, {self.expression(depth - 1)}))"
        return f"({self.string(depth - 1)})|{self.pick(STRING_FILTERS)}"

    def number(self, depth):
        kind = self.rng.randrange(8)
        if depth <= 0 or kind < 2:
            return self.pick(NUMBERS + (["loop.index", "loop.index0", "loop.revindex"] if self.loops else []))
        if kind == 2:
            return f"({self.list(depth - 1)})|length"
        if kind == 3:
            return f"({self.string(depth - 1)})|int"
        if kind == 4:
            return f"({self.number(depth - 1)})|round({self.pick(['', '1'])})"
        return f"({self.number(depth - 1)} {self.pick(['+', '-', '*', '%', '//', '/'])} {self.number(depth - 1)})"

    def list(self, depth):
        kind = self.rng.randrange(7)
        if depth <= 0 or kind < 2:
            return self.pick(LISTS)
        if kind == 2:
            return f"({self.list(depth - 1)})[{self.pick(['1:', ':-1', '::-1', '0:1'])}]"
        if kind == 3:
            return f"({self.dict(depth - 1)}).{self.pick(['keys()', 'values()', 'items()'])}|list"
        if kind == 4:
            return f"[{self.expression(depth - 1)}, {self.expression(depth - 1)}]"
        if kind == 5:
            return f"(({self.list(depth - 1)})|list + ({self.list(depth - 1)})|list)"
        return f"({self.list(depth - 1)})|{self.pick(LIST_FILTERS)}"

    def dict(self, depth):
        if depth <= 0 or self.rng.randrange(3):
            return self.pick(DICTS)
        return f"{{'k': {self.expression(depth - 1)}, {self.string(0)}: {self.expression(depth - 1)}}}"

    def condition(self, depth):
        kind = self.rng.randrange(7)
        if depth <= 0 or kind == 0:
            return self.pick(["yes", "no", "empty", "undefd", "s", "zero", "l"] + (["loop.first", "loop.last"] if self.loops else []))
        if kind == 1:
            return f"{self.number(depth - 1)} {self.pick(['==', '!=', '<', '<=', '>', '>='])} {self.number(depth - 1)}"
        if kind == 2:
            return f"({self.expression(depth - 1)}) is {self.pick(['', 'not '])}{self.pick(TESTS)}"
        if kind == 3:
            return f"({self.condition(depth - 1)} {self.pick(['and', 'or'])} {self.condition(depth - 1)})"
        if kind == 4:
            return f"not ({self.condition(depth - 1)})"
        if kind == 5:
            return f"({self.string(depth - 1)}) {self.pick(['in', 'not in'])} ({self.pick([self.string, self.list])(depth - 1)})"
        return f"({self.expression(depth - 1)}) == ({self.expression(depth - 1)})"

    def expression(self, depth):
        kind = self.rng.randrange(16)
        if kind < 6:
            return self.string(depth)
        if kind < 9:
            return self.number(depth)
        if kind < 11:
            return self.list(depth)
        if kind < 13:
            return self.condition(depth)
        if kind == 13:
            return f"({self.dict(depth)}).{self.pick(['name', 'k', 'age', 'a', 'addr.city', 'tags', 'nope'])}"
        if kind == 14:
            return self.dict(depth)
        return f"({self.expression(depth - 1)})|tojson" if depth > 0 else "none"

    def tag(self, inside):
        left = self.pick(["{%", "{%", "{%-", "{%+"])
        right = self.pick(["%}", "%}", "-%}"])
        return f"{left} {inside} {right}"

    def text(self):
        return self.pick(["", "\n", " ", "\n  ", "text", " <|x|>\n", "\n\n", "\ta ", "a\n b\n"])

    def statement(self, depth):
        kind = self.rng.randrange(13)
        if depth <= 0 or kind < 4:
            left, right = self.pick([("{{", "}}"), ("{{", "}}"), ("{{-", "}}"), ("{{", "-}}")])
            return f"{left} {self.expression(2)} {right}"
        if kind < 6:
            out = self.tag(f"if {self.condition(2)}") + self.body(depth - 1)
            if self.rng.randrange(2):
                out += self.tag(f"elif {self.condition(1)}") + self.body(depth - 1)
            if self.rng.randrange(2):
                out += self.tag("else") + self.body(depth - 1)
            return out + self.tag("endif")
        if kind < 8:
            return self.loop(depth)
        if kind == 8:
            name = self.pick(["v1", "v2"])
            out = self.tag(f"set {name} = {self.string(2)}")
            self.names.append(name)
            return out
        if kind == 9:
            out = self.tag(f"set blk") + self.body(depth - 1) + self.tag("endset")
            return out + "{{ blk }}"
        if kind == 10:
            return self.tag(f"filter {self.pick(['upper', 'trim', 'replace(' + repr('a') + ', ' + repr('b') + ')'])}") + self.body(depth - 1) + self.tag("endfilter")
        if kind == 11:
            return self.macro(depth)
        ns = f"set ns = namespace(t={self.string(1)})"
        loop = self.tag(f"for q in {self.list(1)}") + self.tag("set ns.t = ns.t ~ q") + self.tag("endfor")
        return self.tag(ns) + loop + "{{ ns.t }}"

    def loop(self, depth):
        target, source = self.pick([("i", self.list(2)), ("i", self.list(2)), ("k, v", f"({self.dict(1)}).items()"), ("i", self.string(1))])
        condition = f" if {self.condition(1)}" if self.rng.randrange(4) == 0 and not self.loops else ""
        out = self.tag(f"for {target} in {source}{condition}")
        self.loops += 1
        names = list(self.names)
        self.names = names + (["i|string"] if target == "i" else ["k"])
        out += self.body(depth - 1)
        if self.rng.randrange(4) == 0:
            out += self.tag(f"if {self.condition(1)}") + self.tag(self.pick(["break", "continue"])) + self.tag("endif") + self.text()
        self.loops -= 1
        self.names = names
        if self.rng.randrange(4) == 0:
            out += self.tag("else") + self.body(depth - 1)
        return out + self.tag("endfor")

    def macro(self, depth):
        name = f"m{len(self.macros)}"
        loops, names = self.loops, self.names
        self.loops, self.names = 0, ["a|string", "b|string"]
        body = self.body(depth - 1)
        self.loops, self.names = loops, names
        out = self.tag(f"macro {name}(a, b={self.number(0)})") + body + self.tag("endmacro")
        self.macros.append(name)
        return out + f"{{{{ {name}({self.expression(1)}) }}}}{{{{ {name}({self.string(1)}, b={self.string(1)}) }}}}"

    def body(self, depth):
        names = list(self.names)
        out = "".join(self.text() + self.statement(depth) for _ in range(self.rng.randrange(1, 4))) + self.text()
        self.names = names
        return out


def programs(seed):
    for index in itertools.count():
        grammar = Grammar(random.Random(seed * 1_000_003 + index))
        yield grammar.body(3)


class ScopeGrammar:
    """Assigns and reads two names in blocks inside each other: who sees which value?"""

    NAMES = ["a", "b"]

    def __init__(self, rng):
        self.rng = rng

    def body(self, depth):
        return "".join(self.statement(depth) for _ in range(self.rng.randrange(1, 4)))

    def statement(self, depth):
        name, other = self.rng.choice(self.NAMES), self.rng.choice(self.NAMES)
        kind = self.rng.randrange(11)
        if kind < 3 or depth == 0:
            return f"{{{{ {name} }}}},"
        if kind < 5:
            value = self.rng.choice(["1", "2", f"({other} or 0) ~ 3", "'q'"])
            return f"{{% set {name} = {value} %}}"
        inside = self.body(depth - 1)
        orelse = self.rng.choice(["", "{% else %}" + self.body(depth - 1)])
        if kind == 5:
            return f"{{% if {self.rng.choice(['true', 'false', name, name + ' is defined'])} %}}{inside}{orelse}{{% endif %}}"
        if kind == 6:
            return f"{{% for {self.rng.choice(['i', name])} in [7, 8] %}}{inside}{orelse}{{% endfor %}}"
        if kind == 7:
            return f"{{% set {name} %}}{inside}{{% endset %}}"
        if kind == 8:
            return f"{{% macro f({self.rng.choice(['z', name])}) %}}{inside}{{% endmacro %}}{{{{ f() }}}}{{{{ f(4) }}}}"
        if kind == 9:
            return f"{{% with {name} = {self.rng.choice(['5', other])} %}}{inside}{{% endwith %}}"
        return f"{{% filter upper %}}{inside}{{% endfilter %}}"


def scope_programs(seed):
    for index in itertools.count():
        yield ScopeGrammar(random.Random(seed * 1_000_003 + index)).body(3)
