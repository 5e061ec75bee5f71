import schemathesis

# The first two cannot be said by a JSON Schema.


# A key in quotes equals the bare one, and a comma may join two keys.
@schemathesis.hook
def filter_headers(context, headers):
    return not set(str((headers or {}).get("Idempotency-Key", ""))) & set('",')


# White space around a name is removed before its length is checked.
@schemathesis.hook
def filter_body(context, body):
    name = body.get("name") if isinstance(body, dict) else None
    return not isinstance(name, str) or name == name.strip().strip("\ufeff")


# The coverage phase takes If-Match: 0 for valid, which its pattern refuses.
@schemathesis.hook
def filter_case(context, case):
    return str((case.headers or {}).get("If-Match")) != "0"
