"""Labels as the real packages of labelling tools write them, and ours through their own checks."""

import json
import uuid

import pytest
from tests.formats.labels.test_judgements import ITEMS, LABELS

from evenhand.formats.guests.labels.label_studio import CONFIG
from evenhand.formats.guests.labels.registry import export_labels, import_labels

pytestmark = pytest.mark.filterwarnings("ignore")  # what guests warn of is theirs
TEXT = ITEMS[0].text
START = TEXT.index("30")


def test_label_studio_takes_our_interface_and_its_regions_come_in(tmp_path):
    from label_studio_sdk.label_interface import LabelInterface
    from label_studio_sdk.label_interface.objects import AnnotationValue, TaskValue

    face = LabelInterface(CONFIG)
    face.validate()
    span = {"start": START, "end": START + 2, "labels": ["Evidence"]}
    regions = face.create_regions({"grade": "2", "evidence": [span]})
    made = AnnotationValue(completed_by=1, result=regions).model_dump()
    assert all(face.validate_region(one) for one in made["result"])
    data = {"question": ITEMS[0].ask, "passage": TEXT}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([TaskValue(data=data, annotations=[made]).model_dump()]))
    (label,) = import_labels(path, "label-studio", ITEMS).labels
    assert (label.judge, label.grade, [m.quote for m in label.evidence]) == ("1", 2.0, ["30"])
    # … and what we write is what its checks take
    export_labels(path, "label-studio", ITEMS, [one for one in LABELS if one.grade in {0.0, 1.0, 2.0}])
    results = [
        one
        for task in json.loads(path.read_text())
        for annotation in task["annotations"]
        for one in annotation["result"]
        if one["type"] != "textarea"  # those of ours are not in the interface
    ]
    assert results
    assert all(face.validate_region(one) for one in results)


def test_argilla_writes_records_in_three_forms_and_drafts_are_no_answers(tmp_path):
    import argilla
    from argilla.records._io import GenericIO, JsonIO
    from argilla.responses import UserResponse

    people = [uuid.UUID(int=n) for n in (1, 2)]

    def record():
        evidence = [{"start": START, "end": START + 2, "label": "Evidence"}]
        return argilla.Record(
            id="7",
            fields={"question": ITEMS[0].ask, "passage": TEXT},
            responses=[
                argilla.Response("grade", "2", user_id=people[0], status="submitted"),
                argilla.Response("evidence", evidence, user_id=people[0], status="submitted"),
                argilla.Response("grade", "1", user_id=people[1], status="draft"),
            ],
        )

    flat = tmp_path / "flat.json"
    flat.write_text(json.dumps(GenericIO.to_list([record()], flatten=True)))
    server = tmp_path / "server.json"
    one, other = list(record().responses)[:2], list(record().responses)[2:]
    given = [json.loads(UserResponse(of)._model.model_dump_json()) for of in (one, other)]
    server.write_text(
        json.dumps([{"id": "1", "fields": {"question": ITEMS[0].ask, "passage": TEXT}, "responses": given}])
    )
    for path in (flat, server):
        taken = import_labels(path, "argilla", ITEMS)
        (label,) = taken.labels
        assert (label.judge, label.grade, label.evidence[0].quote) == (str(people[0]), 2.0, "30")
        assert taken.lost == ("1 response has the status 'draft': that is no answer",)
    JsonIO.to_json([record()], tmp_path / "plain.json")
    assert import_labels(tmp_path / "plain.json", "argilla", ITEMS).labels == ()
    # … and it makes records of what we write
    export_labels(tmp_path / "ours.jsonl", "argilla", ITEMS, LABELS)
    rows = [json.loads(line) for line in (tmp_path / "ours.jsonl").read_text().splitlines()]
    assert len([argilla.Record.from_dict(row) for row in rows]) == len(ITEMS)
