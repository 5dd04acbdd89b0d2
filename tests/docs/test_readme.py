"""The README, run as it stands, the demo too."""

from tests.docs.runner import run_page


def test_the_readme_runs_and_prints_what_it_shows(embedded):
    told = "\n".join(run_page("README.md", embedded=embedded).failures)
    assert not told, f"{told}\n\nrefresh it with: python -m tests.docs.runner --update README.md"
