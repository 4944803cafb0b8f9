"""Rows to look at in a real, headless Chromium: pictures show, filter and pages work, text is text."""

from __future__ import annotations

from dldoctor.render.html import page
from tests.render.reports import HOSTILE
from tests.render.row_reports import with_rows
from tests.render.test_html_in_chromium import opened  # noqa: F401 - a fixture

SHOWN = "[...document.querySelectorAll('.row-card')].filter(c => !c.hidden).map(c => c.querySelector('h3').textContent.split(':')[0].trim())"


def test_pictures_are_shown_without_a_request_or_a_complaint(opened):  # noqa: F811
    """Every picture and mask has a width, every sound a length; the only addresses are data."""
    answer, console = opened(
        page(with_rows(3)),
        """
        const images = [...document.querySelectorAll('#rows img')];
        images.forEach(one => { one.loading = 'eager'; });
        const sounds = [...document.querySelectorAll('#rows audio')];
        const heard = sounds.map(one => new Promise(done => {
          one.addEventListener('loadedmetadata', () => done(one.duration));
          one.addEventListener('error', () => done('error'));
          one.preload = 'metadata';
          one.load();
        }));
        Promise.all([Promise.all(images.map(one => one.decode())), Promise.all(heard)]).then(([_, lengths]) => {
          const foreign = performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith('data:'));
          document.documentElement.dataset.answer = JSON.stringify([images.map(one => one.naturalWidth), lengths, foreign]);
        });
        return null;
        """,
    )
    assert answer == [[12] * 6, [0.0005] * 3, []]
    assert console == []


def test_a_caption_with_script_and_markup_is_text(opened):  # noqa: F811
    """It makes no element, runs nothing, and reads as it is."""
    answer, console = opened(
        page(with_rows(1)),
        "const texts = document.querySelectorAll('#rows .row-text p');"
        "return [document.title, document.querySelectorAll('#rows script, #rows iframe, #rows b').length,"
        " texts[1].textContent]",
    )
    assert answer[1:] == [0, HOSTILE[0]]
    assert answer[0].startswith("1 error")
    assert console == []


def test_pages_turn_and_end(opened):  # noqa: F811
    """24 rows a page; no button leads beyond the ends."""
    answer, _ = opened(
        page(with_rows(60)),
        f"""
        const shown = () => {SHOWN};
        const [previous, next] = document.querySelectorAll('.pager button');
        const state = () => [shown().length, document.querySelector('[data-page]').textContent, previous.disabled, next.disabled];
        const seen = [state(), shown().slice(0, 3)];
        next.click();
        seen.push(state(), shown()[0]);
        next.click();
        seen.push(state(), document.getElementById('rows-shown').textContent);
        previous.click();
        seen.push(state());
        return seen;
        """,
    )
    assert answer == [
        [24, "page 1 of 3", True, False],
        ["sample 5", "sample 40", "sample 0"],
        [24, "page 2 of 3", False, False],
        "sample 23",
        [12, "page 3 of 3", False, True],
        "49 to 60 of 60",
        [24, "page 2 of 3", False, False],
    ]


def test_rows_of_findings_and_words_filter(opened):  # noqa: F811
    """Both together; a filter leads back to the first page."""
    answer, _ = opened(
        page(with_rows(60)),
        f"""
        const shown = () => {SHOWN};
        const form = document.getElementById('row-filter');
        const type = text => {{ form.elements.words.value = text; form.dispatchEvent(new Event('input', {{bubbles: true}})); }};
        document.querySelectorAll('.pager button')[1].click();
        form.elements.odd.click();
        const seen = [shown(), document.getElementById('rows-shown').textContent];
        type('IMAGES/40.jpg');
        seen.push(shown());
        form.elements.odd.click();
        type('photo/7 cat');
        seen.push(shown());
        type('no such row');
        seen.push(shown(), document.getElementById('rows-shown').textContent, document.querySelector('.pager').hidden);
        type('');
        seen.push(shown().length);
        return seen;
        """,
    )
    assert answer == [
        ["sample 5", "sample 40"],
        "1 to 2 of 2 that fit, of 60",
        ["sample 40"],
        ["sample 7"],
        [],
        "0 to 0 of 0 that fit, of 60",
        True,
        24,
    ]


def test_marks_can_be_taken_off(opened):  # noqa: F811
    """What lies under a box or a mask can be seen."""
    answer, _ = opened(
        page(with_rows(1)),
        """
        const over = () => [...document.querySelectorAll('.over')].map(one => getComputedStyle(one).display !== 'none');
        const seen = [over()];
        document.querySelector('[name=marks]').click();
        seen.push(over());
        return seen;
        """,
    )
    assert answer == [[True, True], [False, False]]


def test_thousands_of_rows_stay_usable(opened):  # noqa: F811
    """Only one page of them is laid out."""
    answer, console = opened(
        page(with_rows(2000)), f"return [{SHOWN}.length, document.querySelectorAll('.row-card').length]"
    )
    assert answer == [24, 2000]
    assert console == []


def test_cards_fit_a_phone(opened):  # noqa: F811
    """Nothing but what scrolls by itself is wider than the page."""
    answer, _ = opened(
        page(with_rows(4)),
        "document.documentElement.style.width = '400px'; document.body.offsetWidth;"
        "const limit = document.documentElement.getBoundingClientRect().right + 1;"
        "return [...document.querySelectorAll('#rows *')].filter(e => !e.closest('svg') && e.getBoundingClientRect().right > limit)"
        ".map(e => e.tagName + ' ' + e.className)",
        400,
    )
    assert answer == []
