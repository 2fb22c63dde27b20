"""Random templates from a grammar, for make_template_golden.py. The same seed gives the same templates."""
import itertools
import random

STRINGS = ["s", "word", "mixed", "lines", "quote", "'a'", "'<b>'", "'x y'", "''", "'one\\ntwo'", "names[0]", "d.é"]
NUMBERS = ["n", "neg", "x", "zero", "whole", "1", "2", "10", "0.5", "-3"]
LISTS = ["l", "names", "empty", "nested", "[1, 'b', none]", "range(4)", "d.a", "people", "('p', 'q')", "s.split()"]
DICTS = ["d", "ed", "people[0]", "{'k': s, 'v': n}", "people[0].addr"]
STRING_FILTERS = ["upper", "lower", "title", "capitalize", "trim", "trim('a ')", "replace('o', '0')", "replace('l', '', 1)",
                  "indent(2)", "indent(3, true)", "string", "tojson", "reverse", "truncate(8, true, '.', 0)", "escape", "center(12)",
                  "wordwrap(6)", "wordwrap(5, false, '|')", "urlencode", "indent('> ', blank=true)", "forceescape",
                  "safe", "format(1)", "truncate(6)", "wordwrap(4, break_on_hyphens=false)"]
STRING_METHODS = ["strip()", "lstrip('a ')", "rstrip()", "upper()", "lower()", "title()", "replace('a', 'bb')", "capitalize()",
                  "ljust(9, '.')", "swapcase()", "zfill(6)", "removeprefix('s')", "casefold()", "expandtabs(4)", "center(7, '*')",
                  "removesuffix('o')", "format(n, k=s)"]
STRING_TESTS = ["istitle()", "isalpha()", "isdigit()", "isupper()", "startswith('o')", "endswith(('a', 'o'))", "find('e')",
                "count('l')", "isspace()", "rfind('o', 1)"]
LIST_FILTERS = ["sort", "reverse|list", "unique|list", "map('string')|list", "select|list", "list", "map('upper')|list",
                "map(attribute='name')|list", "reject('none')|list", "map('tojson')|list", "batch(2)|list", "batch(3, '-')|list", "slice(2)|list",
                "sort(reverse=true)", "selectattr('age', 'gt', 25)|list", "rejectattr('tags')|list", "groupby('age')|list", "unique(true)|list",
                "sort(attribute='name')", "map(attribute='addr.city', default='?')|list", "select('string')|list", "map('default', 1)|list",
                "slice(3, 0)|list"]
ITEM_FILTERS = ["first", "last", "min", "max", "sum", "length", "sum(attribute='age')", "count", "join('/', 'name')", "pprint"]
LOOP_VALUES = ["loop.index", "loop.first", "loop.last", "loop.length", "loop.revindex0", "loop.depth", "loop.cycle('a', 'b')",
               "loop.changed(loop.index // 2)", "loop.previtem|default('-')", "loop.nextitem|default('-')", "loop.depth0"]
TESTS = ["defined", "none", "string", "number", "mapping", "iterable", "sequence", "odd", "true", "boolean", "undefined", "integer",
         "even", "divisibleby(3)", "lower", "upper", "callable", "sameas(none)", "in(l)", "eq(1)", "float", "false", "ge(2)", "escaped"]


class Grammar:
    def __init__(self, rng):
        self.rng = rng
        self.names = []
        self.loops = 0
        self.macros = []

    def pick(self, options):
        return self.rng.choice(options)

    def string(self, depth):
        kind = self.rng.randrange(14)
        if depth <= 0 or kind < 2:
            return self.pick(STRINGS + self.names)
        if kind == 12:
            return f"({self.string(depth - 1)}).{self.pick(['split()', 'split(repr)', 'rsplit(None, 1)', 'splitlines()', 'partition(sep)'])}|join('+')".replace(
                "repr", self.pick(["'o'", "' '", "'l', 1"])).replace("sep", self.pick(["'l'", "' '"]))
        if kind == 13:
            return f"({self.dict(depth - 1)})|{self.pick(['dictsort', 'items|list', 'xmlattr', 'pprint', 'dictsort(by=repr)', 'tojson(indent=2)'])}|string".replace(
                "repr", "'value'")
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
        kind = self.rng.randrange(19)
        if kind == 16:
            return f"({self.list(depth - 1)})|{self.pick(ITEM_FILTERS)}"
        if kind == 17:
            return self.pick(LOOP_VALUES) if self.loops else f"({self.string(depth - 1)}).{self.pick(STRING_TESTS)}"
        if kind == 18:
            return f"({self.list(depth - 1)})[{self.number(0)}:{self.pick(['', self.number(0)])}]"
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
        kind = self.rng.randrange(17)
        if depth > 0 and kind > 12:
            return [self.call_block, self.with_block, self.walk, self.oddment][kind - 13](depth)
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

    def call_block(self, depth):
        """A macro that calls back, with arguments of all kinds, and takes more than it names."""
        name = f"m{len(self.macros)}"
        self.macros.append(name)
        taken = self.pick(["", "(u)", "(u, w=2)"])
        given = {"": "", "(u)": "1", "(u, w=2)": self.pick(["1", "1, w='x'", "1, 2"])}[taken]
        loops, names = self.loops, self.names
        self.loops, self.names = 0, ["u|string"] if taken else []
        inside = self.body(depth - 1)
        self.loops, self.names = loops, names
        use = self.pick(["{{ caller(%s) }}" % given, "{% for z in [1, 2] %}{{ caller(" + given + ") }}{% endfor %}", "{{ caller(" + given + ")|upper }}"])
        more = self.pick(["", "{{ varargs }}{{ kwargs }}", "{{ name }}"])
        head = self.tag(f"macro {name}(a, b={self.number(0)})") + "[" + use + "{{ a }}{{ b }}" + more + "]" + self.tag("endmacro")
        arguments = self.pick(["1", "a=2", "1, 2", "1, b=s"] + (["1, 2, 3, k=4"] if more == "{{ varargs }}{{ kwargs }}" else []))
        return head + self.tag(f"call{taken} {name}({arguments})") + inside + self.tag("endcall")

    def with_block(self, depth):
        names = list(self.names)
        self.names = names + ["wv|string"]
        out = self.tag(f"with wv = {self.expression(1)}, wx = {self.number(1)}") + self.body(depth - 1) + "{{ wx }}" + self.tag("endwith")
        self.names = names
        return out

    def walk(self, depth):
        """A recursive loop over a tree, or generation around a body."""
        if self.rng.randrange(2):
            return self.tag("generation") + self.body(depth - 1) + self.tag("endgeneration")
        tree = self.pick(["[1, [2, [3]], 4]", "nested", "['a', l, 'b']"])
        return (self.tag(f"for node in {tree} recursive") + "<{% if node is string or node is number %}{{ node }}{{ loop.depth }}{% else %}"
                + "{{ loop(node) }}{% endif %}>" + self.tag("endfor"))

    def oddment(self, depth):
        return self.pick([
            "{# a {{ comment }} #}", "{#- tight -#}", "{% raw %}{{ raw }} {% x %}{% endraw %}", "{%- raw -%} {{ y {%- endraw -%}",
            self.tag(f"set t1, t2 = {self.pick(['1, s', '(l, d)', self.list(1)])}") + "{{ t1 }}{{ t2 }}",
            self.tag(f"set fb | {self.pick(['upper', 'trim | title', 'replace(1, 2)'])}") + self.body(depth - 1) + self.tag("endset") + "{{ fb }}",
            "{% set cy = cycler('x', n, none) %}{% for i in range(4) %}{{ cy.next() }}{{ cy.current }}{% endfor %}",
            "{% set jo = joiner(" + self.pick(["", "'; '"]) + ") %}{% for i in " + self.list(1) + " %}{{ jo() }}{{ i }}{% endfor %}",
            self.tag(f"if {self.condition(2)}") + "{{ raise_exception(" + self.string(1) + ") }}" + self.tag("endif"),
            self.tag("set ns = namespace(c=0, d=[])") + self.tag(f"for e in {self.list(2)}") + self.tag("set ns.c = ns.c + 1") + self.tag("endfor") + "{{ ns.c }}",
            "{{ " + self.pick(["dict(a=1, b=s)", "dict(ed, k=n).k", "namespace(a=s).a", "range(2, 9, 3)|list", "range(n)|sum"]) + " }}",
            self.tag(f"print {self.expression(2)}"),
            "{% for a, (b, c) in [(1, (2, s)), [3, 'xy']] %}{{ a ~ b ~ c }}{% endfor %}",
            "{{ '%5.2f|%-6s|%03d|%x' % (x, word, n, 255) }}{{ '{0!r:>8}{1}{a[0]}'.format(word, n, a=l) }}",
        ])

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
