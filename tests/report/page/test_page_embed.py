import json
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from abotn.report.page_embed import SCRIPTS, json_block, policy, script, styles

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
values = st.recursive(
    texts | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(texts, inner)
)


class Blocks(HTMLParser):
    """Collects the content of scripts, and everything outside them."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.outside, self.tags = [], "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        if self.lasttag == "script" and len(self.scripts) < len(self.tags):
            self.scripts.append(data)
        else:
            self.outside += data


@given(values)
def test_any_data_comes_back_and_stays_inside_its_element(data):
    blocks = Blocks(json_block("data", data))
    assert blocks.tags == [("script", {"type": "application/json", "id": "data"})]
    assert json.loads("".join(blocks.scripts)) == data
    assert blocks.outside == ""


def test_nothing_in_data_can_end_the_element_or_the_line():
    block = json_block("data", ["</script><script>alert(1)</script>", "<!--", "\u2028\u2029", "&"])
    assert block.count("<") == 2
    assert not set("\u2028\u2029&") & set(block)


def test_the_policy_lets_nothing_in_from_outside():
    rules = dict(rule.split(" ", 1) for rule in policy(styles(), script()).split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data:"
    assert "unsafe" not in "".join(rules.values())


def test_the_script_builds_elements_and_never_parses_markup():
    code = script()
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(",
                 "fetch(", "XMLHttp", "import(", "http:"):  # fmt: skip
        assert word not in code.replace("http://www.w3.org/2000/svg", "")
    assert len(SCRIPTS) == len(set(SCRIPTS))
    assert "@import" not in styles()
    assert "url(" not in styles()
