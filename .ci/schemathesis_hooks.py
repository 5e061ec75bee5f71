import schemathesis


# A key in quotes equals the bare one, and a comma may join two keys: a pattern cannot say either.
@schemathesis.hook
def filter_headers(context, headers):
    return not set(str((headers or {}).get("Idempotency-Key", ""))) & set('",')
