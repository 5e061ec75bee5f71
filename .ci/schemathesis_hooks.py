import schemathesis

# The first three cannot be said by a JSON Schema.


# A key in quotes equals the bare one, and a comma may join two keys.
@schemathesis.hook
def filter_headers(context, headers):
    return not set(str((headers or {}).get("Idempotency-Key", ""))) & set('",')


# White space around a name is removed before its length is checked. No pattern has line separators.
@schemathesis.hook
def filter_body(context, body):
    members = body if isinstance(body, dict) else {}
    if any(set(str(text)) & set("\u2028\u2029") for text in members.values()):
        return False
    name = members.get("name")
    return not isinstance(name, str) or name == name.strip().strip("\ufeff")


# The coverage phase takes If-Match: 0 for valid, which its pattern refuses.
@schemathesis.hook
def filter_case(context, case):
    return str((case.headers or {}).get("If-Match")) != "0"
