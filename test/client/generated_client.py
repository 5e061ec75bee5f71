"""Calls a local run with the clients that .ci/clients generates: every operation, and a typed problem of each code."""

import importlib
import json
import re
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx
import openapi_client
from workforce_payments_client import AuthenticatedClient
from workforce_payments_client.api.offers import resend_offer
from workforce_payments_client.api.payment_requests import approve_payment_request
from workforce_payments_client.api.sandboxes import create_sandbox, list_sandboxes
from workforce_payments_client.models import ApprovePaymentRequest, CreateSandbox

document, stack = (json.load(open(path)) for path in sys.argv[1:])
manager, stranger = (stack["managers"][name][0] for name in ("live", "other"))
pending, sent = stack["payment_requests"]["pending"], stack["offers"]["sent"]


def client(token="live", change=None):
    """A client with a token of the demo data. `change` alters each request before it is sent."""
    hooks = {"event_hooks": {"request": [change] if change else []}}
    return AuthenticatedClient(stack["url"], stack["tokens"][token], timeout=httpx.Timeout(60), httpx_args=hooks)


def approve(by=client(), id=pending, approver=manager, **body):
    return approve_payment_request.sync_detailed(id, client=by, body=ApprovePaymentRequest(approver, **body))


def create(by=client(), name="Generated", **options):
    return create_sandbox.sync_detailed(client=by, body=CreateSandbox(name), **options)


def page(**query):
    return list_sandboxes.sync_detailed(client=client(), **query)


def resend(by=client(), id=sent, **options):
    return resend_offer.sync_detailed(id, client=by, **options)


def text_body(request):
    request.headers["Content-Type"] = "text/plain"


def deleting(request):
    request.method = "DELETE"


def elsewhere(request):
    request.url = request.url.copy_with(path="/v1/elsewhere")


def key_in_use():
    """Requests with one key at once, until one arrives while another runs."""
    for _ in range(100):
        key = str(uuid.uuid4())
        with ThreadPoolExecutor(8) as pool:
            answers = [each.result() for each in [pool.submit(create, client(), idempotency_key=key) for _ in range(8)]]
        if late := [answer for answer in answers if answer.status_code == 409]:
            return late[0]
    raise AssertionError("No request found its key in use.")


def key_reused():
    key = str(uuid.uuid4())
    create(idempotency_key=key)
    return create(name="Other", idempotency_key=key)


problems = {
    "invalid_request": lambda: create(name=""),
    "conflicting_parameters": lambda: page(cursor=first.cursor, starting_after=created[0]),
    "invalid_cursor": lambda: page(cursor="invented"),
    "resource_missing": lambda: page(starting_after="sbx_none"),
    "invalid_idempotency_key": lambda: create(idempotency_key="x" * 256),
    "unauthenticated": lambda: create(client("expired")),
    "insufficient_scope": lambda: create(client("no_scopes")),
    "not_a_manager": lambda: approve(approver=stranger),
    "live_workspace_required": lambda: create(client("test")),
    "payment_request_not_found": lambda: approve(id="ptr_none"),
    "offer_not_found": lambda: resend(id="ofr_none"),
    "route_not_found": lambda: resend(client(change=elsewhere)),
    "method_not_allowed": lambda: create(client(change=deleting)),
    "offer_not_sent": lambda: resend(id=stack["offers"]["draft"]),
    "idempotency_key_in_use": key_in_use,
    "body_too_large": lambda: approve(reason="x" * 2**16),
    "unsupported_media_type": lambda: create(client(change=text_body)),
    "idempotency_key_reused": key_reused,
}
# A client cannot cause these. The examples of the document stand for them.
not_caused = {"rate_limited", "request_blocked", "internal_error", "unavailable", "outcome_unknown"}
assert {*problems, *not_caused} == {*document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]}

approved = approve(reason="Matches the timesheet").parsed
assert approved.status.value == "approved" and approved.approvals[-1].startswith("apprdec_"), approved
print("approved", approved.id)

created = [create(name=f"Generated {number}").parsed.id for number in (1, 2, 3, 4)]
first = page(limit=2).parsed
pages = [
    [each.id for each in part.sandboxes]
    for part in (
        first,
        page(limit=2, cursor=first.cursor).parsed,
        page(limit=2, starting_after=created[2]).parsed,
        page(limit=2, ending_before=created[1]).parsed,
    )
]
newest, oldest = created[:1:-1], created[1::-1]
assert pages == [newest, oldest, oldest, newest], (created, pages)
print("created and listed", len(created))

key = str(uuid.uuid4())
answers = [resend(idempotency_key=key) for _ in range(2)]
assert answers[0].content == answers[1].content and answers[1].headers["Idempotent-Replayed"] == "true", answers
print("resent; attempts:", answers[1].parsed.delivery.attempts)

for code, call in problems.items():
    answer = call()
    problem = answer.parsed
    assert problem and (problem.code.value, problem.status.value) == (code, answer.status_code), (code, answer)
    print(problem.status.value, code, *[fault.code.value for fault in problem.errors or []])

read = 0
for operation in (each for path in document["paths"].values() for each in path.values()):
    name = re.sub("([A-Z])", r"_\1", operation["operationId"]).lower()
    tag = operation["tags"][0].lower().replace(" ", "_")
    module = importlib.import_module(f"workforce_payments_client.api.{tag}.{name}")
    for status, response in operation["responses"].items():
        for example in response["content"].get("application/problem+json", {}).get("examples", {}).values():
            answer = httpx.Response(int(status), json=example["value"])
            assert module._parse_response(client=client(), response=answer).to_dict() == example["value"], answer
            read += 1
print("read the problems of the document:", read)

configuration = openapi_client.Configuration(stack["url"], access_token=stack["tokens"]["live"])
try:
    openapi_client.SandboxesApi(openapi_client.ApiClient(configuration)).list_sandboxes(starting_after="sbx_none")
    raise AssertionError("The list began after a sandbox that does not exist.")
except openapi_client.ApiException as error:
    assert (error.data.code, error.data.errors[0].parameter) == ("resource_missing", "starting_after"), error.data
print("openapi-generator: read a problem with its fault")
