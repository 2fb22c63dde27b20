// Templates that use every construct: template_seeds FOLDER.
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const char* const sources[] = {
      "{% for m in messages if m.role != 'tool' %}{{ loop.index0 }}{{ m['content'] | trim }}{% "
      "else %}x{% endfor %}",
      "{%- if tools is defined and tools %}{{ tools | tojson(indent=2) }}{% elif 1 %}b{% else "
      "%}c{%- endif -%}",
      "{% set ns = namespace(a=1) %}{% set ns.a = ns.a + 1 %}{% set a, b = 1, [2] %}{{ ns.a ~ a ~ "
      "b }}",
      "{% macro f(x, y='d') %}{{ x }}{{ y }}{{ caller() if caller }}{{ varargs }}{{ kwargs }}{% "
      "endmacro %}{{ f(1, 2, 3, z=4) }}{% call f(1) %}q{% endcall %}",
      "{% set b %}x{{ 1 }}{% endset %}{% filter upper | replace('X', 'y') %}{{ b }}{% endfilter "
      "%}{% with q = 1 %}{{ q }}{% endwith %}",
      "{{ messages[1:][::-1][0].content.split('\\n', 1)[-1].strip().upper() }}{{ 'a' in 'abc' and "
      "not 1 > 2 or 3 }}",
      "{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | list | "
      "join(', ') | length }}",
      "{{ '%s %5.2f %(k)s' % {'k': 1} }}{{ '{:>5} {0!r}'.format('a') }}{{ [3, 1] | sort | first "
      "}}{{ {'a': 1}.items() | list }}",
      "{% for i in range(3) %}{% if i == 1 %}{% continue %}{% endif %}{{ loop.cycle('a', 'b') }}{% "
      "break %}{% endfor %}",
      "{% for i in [[1, [2]]] recursive %}{{ loop(i) if i is iterable else i }}{% endfor %}{# c "
      "#}{% raw %}{{ }}{% endraw %}",
      "{{ raise_exception('no') }}{{ strftime_now('%d %b %Y') }}{{ dict(a=1) }}{{ "
      "cycler('a').next() }}{{ joiner()() }}",
      "{{ 'x' | safe + '<' | e }}{{ -7 // 2 ** 2 % 3 }}{{ 'a' if x is not none else 'b' }}{% "
      "generation %}g{% endgeneration %}",
      "{% set l = [] %}{% set x = l.append(l) %}{{ messages | groupby('role') | length }}{{ '[1]' "
      "| from_json }}{{ 1.5 | round | int }}",
  };
  int index = 0;
  for (const char* source : sources) {
    std::ofstream(std::string(argv[1]) + "/seed" + std::to_string(index++), std::ios::binary)
        << source;
  }
  return 0;
}
