"""Makes `data/`: 120 conversations from templates, whose numbers and answers are computed.

Run it as `python sample_datasets/chat/make_data.py [FOLDER]`; it gives the same bytes each time.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

Turn = tuple[str, str]
SEED = 20
ROWS_PER_TOPIC = 15
SYSTEM_PROMPTS = (
    "You are a helpful assistant.",
    "You are a patient tutor. Explain how you got to the answer.",
    "Answer briefly and in plain words.",
)
SPECIAL_TOKENS = ["<pad>", "<unk>", "<bos>", "<eos>", "<|system|>", "<|user|>", "<|assistant|>"]
CAPITALS = {
    "Norway": ("Oslo", "a fjord"),
    "Portugal": ("Lisbon", "a wide river mouth"),
    "Kenya": ("Nairobi", "a high plateau"),
    "Peru": ("Lima", "the Pacific coast"),
    "Austria": ("Vienna", "the Danube"),
    "Vietnam": ("Hanoi", "the Red River"),
    "Egypt": ("Cairo", "the Nile"),
    "Ireland": ("Dublin", "the Liffey"),
    "Japan": ("Tokyo", "a large bay"),
    "Chile": ("Santiago", "a valley below the Andes"),
    "Poland": ("Warsaw", "the Vistula"),
    "Hungary": ("Budapest", "the Danube"),
    "Nepal": ("Kathmandu", "a valley in the hills"),
    "Ghana": ("Accra", "the Atlantic coast"),
    "Finland": ("Helsinki", "the Gulf of Finland"),
}
DISHES = (
    "pancakes",
    "lentil soup",
    "rice pudding",
    "flat bread",
    "tomato sauce",
    "apple cake",
    "potato salad",
)
TRIPS = ("a walk in the mountains", "two days at the sea", "a week in a big city", "a night in a tent")
METHODS = {
    "append": ("adds one item to the end of a list", "extend", "adds every item of another list"),
    "strip": ("removes spaces from both ends of a string", "rstrip", "removes them from the end only"),
    "get": ("reads a key of a dict without an error", "setdefault", "also stores the default"),
    "sort": ("orders a list in place", "sorted", "returns a new list and leaves the old one alone"),
    "split": ("cuts a string into a list of words", "join", "puts the words together again"),
}


def temperature(rng: random.Random) -> list[Turn]:
    celsius = rng.randrange(-15, 40)
    return [
        (
            f"What is {celsius} degrees Celsius in Fahrenheit?",
            f"It is {celsius * 1.8 + 32:.1f} degrees Fahrenheit. Multiply by 1.8 and add 32.",
        ),
        (
            "And how do I go back?",
            f"Subtract 32 and divide by 1.8, which brings you back to {celsius} degrees Celsius.",
        ),
    ]


def recipe(rng: random.Random) -> list[Turn]:
    dish, people, grams = rng.choice(DISHES), rng.randrange(3, 9), rng.randrange(200, 500, 20)
    return [
        (
            f"My recipe for {dish} needs {grams} grams of flour for 2 people. How much for {people}?",
            f"For {people} people take {grams * people // 2} grams, since each person needs {grams // 2} grams.",
        ),
        (
            "Should I change the salt as well?",
            f"Yes, but carefully. Start with a little less than {people / 2:.1f} times the salt and taste it.",
        ),
    ]


def weekday(rng: random.Random) -> list[Turn]:
    day = date(2024, 1, 1) + timedelta(days=rng.randrange(700))
    later = day + timedelta(days=rng.randrange(10, 90))
    return [
        (
            f"On which day of the week was {day:%d %B %Y}?",
            f"{day:%d %B %Y} was a {day:%A}.",
        ),
        (
            f"How many days are there from then to {later:%d %B %Y}?",
            f"There are {(later - day).days} days between the two dates, and the second one is a {later:%A}.",
        ),
    ]


def capital(rng: random.Random) -> list[Turn]:
    country = rng.choice(sorted(CAPITALS))
    city, place = CAPITALS[country]
    other = rng.choice(sorted(set(CAPITALS) - {country}))
    return [
        (f"What is the capital of {country}?", f"The capital of {country} is {city}, which lies at {place}."),
        (
            f"Thank you. And the capital of {other}?",
            f"That is {CAPITALS[other][0]}. You will find it at {CAPITALS[other][1]}.",
        ),
    ]


def shopping(rng: random.Random) -> list[Turn]:
    count, price = rng.randrange(3, 12), rng.randrange(2, 9)
    paid = (count * price // 50 + 1) * 50
    return [
        (
            f"I buy {count} notebooks at {price} euros each and pay with {paid} euros. What do I get back?",
            f"The notebooks cost {count * price} euros together, so you get {paid - count * price} euros back.",
        ),
        (
            "Is there a cheaper way?",
            f"If the shop gives one tenth off, you pay {count * price * 0.9:.2f} euros. It is worth asking.",
        ),
    ]


def train_trip(rng: random.Random) -> list[Turn]:
    hour, minute, length = rng.randrange(6, 20), rng.randrange(0, 60, 5), rng.randrange(35, 200, 5)
    end = hour * 60 + minute + length
    return [
        (
            f"My train leaves at {hour}:{minute:02} and the trip takes {length} minutes. When do I arrive?",
            f"You arrive at {end // 60}:{end % 60:02}, if the train is on time.",
        ),
        (
            "I need ten more minutes to the office.",
            f"Then you are there at {(end + 10) // 60}:{(end + 10) % 60:02}. I would plan a small reserve on top.",
        ),
    ]


def python_method(rng: random.Random) -> list[Turn]:
    name = rng.choice(sorted(METHODS))
    does, relative, difference = METHODS[name]
    size = rng.randrange(3, 90)
    return [
        (
            f"I have {size} rows to clean in Python. What does {name} do?",
            f"The method {name} {does}. With {size} rows you would call it in a short loop.",
        ),
        (
            f"How is it different from {relative}?",
            f"They look alike, but {relative} {difference}. Choose the one that says what you mean.",
        ),
    ]


def packing(rng: random.Random) -> list[Turn]:
    trip, people, litres = rng.choice(TRIPS), rng.randrange(2, 7), rng.randrange(2, 4)
    return [
        (
            f"What should {people} of us take along for {trip}?",
            f"Take warm layers, good shoes, a first aid kit, and {litres * people} litres of water for all of you.",
        ),
        (
            "It may rain all day.",
            "Then add a rain jacket for everyone, and keep dry socks in a closed bag.",
        ),
    ]


TOPICS: tuple[Callable[[random.Random], list[Turn]], ...] = (
    temperature,
    recipe,
    weekday,
    capital,
    shopping,
    train_trip,
    python_method,
    packing,
)


def make_conversation(
    topic: Callable[[random.Random], list[Turn]], rng: random.Random
) -> list[dict[str, str]]:
    """Write the turns of one conversation as chat messages; every fifth has a single turn."""
    turns = topic(rng)
    if rng.random() < 0.2:
        turns = turns[:1]
    messages = [{"role": "system", "content": rng.choice(SYSTEM_PROMPTS)}]
    for question, answer in turns:
        messages += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return messages


def write_rows(path: Path, rows: list[dict[str, object]]) -> None:
    """Write one JSON object a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def make_data(folder: Path) -> None:
    """Write the conversations and the vocabulary into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    rows: list[dict[str, object]] = []
    seen: set[str] = set()
    while len(rows) < ROWS_PER_TOPIC * len(TOPICS):
        topic = TOPICS[len(rows) % len(TOPICS)]
        messages = make_conversation(topic, rng)
        if (content := json.dumps(messages[1:])) not in seen:
            seen.add(content)
            rows.append({"id": f"{topic.__name__}-{len(rows):03}", "messages": messages})
    write_rows(folder / "conversations.jsonl", rows)

    log = " ".join(f"line {number}: {rng.randrange(1000)} ms" for number in range(55))
    pasted: dict[str, object] = {
        "id": "pasted-log-077",
        "messages": [
            {"role": "user", "content": f"Why is this slow? {log}"},
            {"role": "assistant", "content": "Most lines are fast. Look at the few above 900 ms."},
        ],
    }
    write_rows(folder / "conversations_with_a_pasted_log.jsonl", [*rows[:77], pasted, *rows[78:]])

    emptied: dict[str, object] = {"id": "deleted-030", "messages": []}
    write_rows(folder / "conversations_with_a_deleted_one.jsonl", [*rows[:30], emptied, *rows[31:]])

    text = " ".join(message["content"] for row in rows for message in row["messages"])  # type: ignore[attr-defined]
    counts = Counter(re.findall(r"[a-z]+|\d|[^a-z\d\s]", text.lower()))
    words = sorted(counts, key=lambda word: (-counts[word], word))
    vocab = {token: number for number, token in enumerate(SPECIAL_TOKENS + words)}
    (folder / "vocab.json").write_text(json.dumps(vocab, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make_data(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data")
