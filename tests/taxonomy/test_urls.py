"""The taxonomy of paths: every page below its folders, whatever the order of the names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.urls import folders, url_taxonomy


def above(tree: Taxonomy, name: str) -> list[str]:
    node, found = int(tree.names.codes([name])[0]), []
    while (node := int(tree.parent[node])) >= 0:
        found.append(tree.names[node])
    return found


def test_pages_lie_below_their_folders() -> None:
    tree = url_taxonomy(["/", "/blog/", "/blog/2009/rain.html", "/style.css"])
    assert above(tree, "/blog/2009/rain.html") == ["/blog/2009/*", "/blog/*", "/*", "(any page)"]
    assert above(tree, "/blog/") == ["/blog/*", "/*", "(any page)"]
    assert above(tree, "/") == ["/*", "(any page)"]


def test_query_strings_lie_beside_their_page() -> None:
    tree = url_taxonomy(["/search", "/search?q=rain", "/search?q=a/b"])
    for page in ("/search", "/search?q=rain", "/search?q=a/b"):
        assert above(tree, page) == ["/search?*", "/*", "(any page)"]


def test_other_hosts_and_what_is_no_path() -> None:
    tree = url_taxonomy(["http://a.org/x/y", "http://a.org", "(broken request)", "/z"])
    assert above(tree, "http://a.org/x/y") == ["http://a.org/x/*", "http://a.org/*", "(any page)"]
    assert above(tree, "http://a.org") == ["http://a.org/*", "(any page)"]
    assert above(tree, "(broken request)") == ["(any page)"]


def test_items_without_a_slash_are_refused() -> None:
    with refuses("no-paths"):
        url_taxonomy(["milk", "bread"])


PATHS = st.lists(st.text(alphabet="/ab?*", min_size=1, max_size=8), min_size=1, max_size=20)


@given(PATHS)
def test_any_names_make_a_tree_that_holds_them_all(names: list[str]) -> None:
    names = ["/", *names]
    tree = url_taxonomy(names)
    assert (tree.names.codes(sorted(set(names))) >= 0).all()
    assert tree.names.names.to_list() == url_taxonomy(reversed(names)).names.names.to_list()
    for name in names:
        assert set(folders(name)) - {name} <= set(above(tree, name))
