// Made from openapi.json by `npm run openapi`.

export interface paths {
    "/v1/payment-requests/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a payment request
         * @description Any manager of the account may approve, any number of times; each approval is listed separately. Whatever state the request is in, it is `approved` afterwards.
         *
         *     Scope: `payment_requests:approve`.
         */
        post: operations["approvePaymentRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandboxes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sandboxes
         * @description The sandboxes of the token's live workspace, newest first. A walk by cursors sees each sandbox once, whatever is created meanwhile. Give at most one of `cursor`, `starting_after` and `ending_before`.
         *
         *     Scope: `sandboxes:read`, with the token of a live workspace.
         */
        get: operations["listSandboxes"];
        put?: never;
        /**
         * Create a sandbox
         * @description Answers at once with a sandbox that is `provisioning`; within seconds it is `ready`. Its test workspace then holds what it takes to try the other endpoints there: for `sbx_X` the payment request `ptr_X`, the sent offer `ofr_X` and the manager `00000000-0000-4000-8000-000000000001`.
         *
         *     Scope: `sandboxes:write`, with the token of a live workspace.
         */
        post: operations["createSandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/offers/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an offer again
         * @description The offer must have been sent already. Each request makes another delivery attempt and e-mails the address stored on the offer; in a test workspace the mail is simulated. With an `Idempotency-Key` a retry gets the first try's answer and sends nothing. There is no body.
         *
         *     Scope: `offers:resend`.
         */
        post: operations["resendOffer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A worker's request to be paid. */
        PaymentRequest: {
            /** @description Identifier of the payment request. */
            id: string;
            /** @description Identifier of the worker. */
            worker: string;
            /** @description A decimal number with two fractional digits. */
            amount: string;
            /** @description ISO 4217 code. */
            currency: string;
            /**
             * @description Approving makes it `approved`, whatever it was.
             * @enum {string}
             */
            status: "draft" | "pending" | "approved" | "rejected" | "paid" | "cancelled";
            /** @description Short reference code. */
            reference: string;
            /** @description Free text. */
            note: string;
            /** @description What the payment is for. */
            period: {
                /**
                 * Format: date
                 * @description The first day.
                 */
                starts: string;
                /**
                 * Format: date
                 * @description The last day.
                 */
                ends: string;
            };
            /** @description Documents attached to the request. */
            documents: unknown[];
            /** @description One identifier for each approval, oldest first. */
            approvals: string[];
            /** @description Null while there is no payment. */
            payment: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created: string;
        };
        /** @description An approval. */
        ApprovePaymentRequest: {
            /**
             * Format: uuid
             * @description Identifier of the manager who approves, in upper or lower case.
             */
            approver: string;
            /** @description Why; the worker sees it. At least one of its characters can be seen. */
            reason?: string;
        };
        /** @description An isolated test workspace of a live workspace. */
        Sandbox: {
            /** @description Identifier of the sandbox. The order of identifiers is the order of creation. */
            id: string;
            /** @description The name given at creation. */
            name: string;
            /**
             * @description `provisioning` until the test workspace can be used.
             * @enum {string}
             */
            status: "provisioning" | "ready";
            /** @description Identifier of the live workspace that owns it. */
            workspace: string;
            /** @description Identifier of the test workspace. */
            sandbox_workspace: string;
            /**
             * Format: date-time
             * @description When it was created, in UTC.
             */
            created: string;
            /**
             * Format: date-time
             * @description When it last changed, in UTC.
             */
            updated: string;
        };
        /** @description A sandbox to be. */
        CreateSandbox: {
            /** @description A name for people, counted without the white space around it, which is removed. At least one of its characters can be seen. */
            name: string;
        };
        /** @description One page of sandboxes. */
        SandboxList: {
            /** @description Newest first, whichever way the walk goes. */
            sandboxes: components["schemas"]["Sandbox"][];
            /** @description Fetches the next page in the same direction. Absent on the last page. */
            cursor?: string;
        };
        /** @description An offer and how its delivery goes. */
        Offer: {
            /** @description Identifier of the offer. */
            id: string;
            /**
             * @description Only a `sent` offer can be sent again.
             * @enum {string}
             */
            status: "draft" | "sent" | "accepted" | "declined" | "expired" | "voided";
            /**
             * Format: email
             * @description Where its e-mails go.
             */
            recipient_email: string;
            /** @description A summary of its delivery attempts. */
            delivery: {
                /** @description How many there were, the first delivery included. */
                attempts: number;
                /** @description The newest one, null while there was none. */
                last_attempt: {
                    /** @description Identifier of the delivery attempt. */
                    id: string;
                    /**
                     * @description `queued`, then `sending`, then `sent` or `failed`; what was sent may turn out `delivered`, `bounced` or `complained` about. `simulated` in a test workspace.
                     * @enum {string}
                     */
                    status: "queued" | "sending" | "sent" | "failed" | "simulated" | "delivered" | "bounced" | "complained";
                    /** @description Why it failed or bounced: a code. */
                    reason?: string;
                    /**
                     * Format: date-time
                     * @description When it was asked for, in UTC.
                     */
                    created: string;
                } | null;
            };
            /**
             * Format: date-time
             * @description When the offer was created, in UTC.
             */
            created: string;
            /**
             * Format: date-time
             * @description When it last changed, in UTC.
             */
            updated: string;
        };
        /** @description Why a request was refused or failed: problem details (RFC 9457). */
        Problem: {
            /**
             * Format: uri
             * @description The code as a URI, which leads to its page where the reference is published.
             */
            type: string;
            /** @description What the code means, in a few words. */
            title: string;
            /** @description The status of the response. */
            status: number;
            /** @description A sentence for people about this case; it may change. */
            detail: string;
            /**
             * @description Stable, for machines.
             * @enum {string}
             */
            code: "invalid_request" | "conflicting_parameters" | "invalid_cursor" | "resource_missing" | "invalid_idempotency_key" | "unauthenticated" | "insufficient_scope" | "not_a_manager" | "live_workspace_required" | "request_blocked" | "payment_request_not_found" | "offer_not_found" | "route_not_found" | "method_not_allowed" | "offer_not_sent" | "idempotency_key_in_use" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "internal_error" | "unavailable" | "outcome_unknown";
            /** @description Names the request, as the header `Request-Id` does. */
            request_id: string;
            /** @description With a status of 400: everything that is wrong with the request. */
            errors?: ({
                /** @description Where in the body: a JSON pointer (RFC 6901), empty for the whole of it. */
                pointer?: string;
                /** @description Which query parameter. */
                parameter?: string;
                /** @description Which header. */
                header?: string;
                /**
                 * @description Stable, for machines.
                 * @enum {string}
                 */
                code: "conflicting_parameters" | "invalid_characters" | "invalid_cursor" | "invalid_format" | "invalid_idempotency_key" | "invalid_type" | "invisible" | "malformed_json" | "repeated" | "required" | "resource_missing" | "too_long" | "too_short" | "unknown";
                /** @description A sentence for people; it may change. */
                detail: string;
            } & (unknown | unknown | unknown))[];
        };
    };
    responses: never;
    parameters: {
        /**
         * @description Makes a retry safe: for 30 days a request with the same key gets the first answer and has no effect of its own. 1 to 255 printable ASCII characters, remembered per workspace and operation; a key in double quotes is the same key. Only successes are kept: after an error the key may be used again.
         * @example 7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e
         */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names the request. Quote it when you ask us about one. */
        RequestId: string;
        /** @description There when the answer is that of an earlier request with the same key. */
        IdempotentReplayed: "true";
        /** @description Answers hold personal data: no cache may keep them. */
        CacheControl: "no-store";
        /** @description The service answers over TLS alone. */
        StrictTransportSecurity: "max-age=63072000";
        /** @description Answers are what `Content-Type` says. */
        XContentTypeOptions: "nosniff";
        /** @description After how many seconds the request may succeed. */
        RetryAfter: number;
        /** @description How to authenticate. */
        WWWAuthenticate: "Bearer";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    approvePaymentRequest: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: for 30 days a request with the same key gets the first answer and has no effect of its own. 1 to 255 printable ASCII characters, remembered per workspace and operation; a key in double quotes is the same key. Only successes are kept: after an error the key may be used again.
                 * @example 7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The identifier of the payment request. One that is malformed, unknown or another workspace's is not found.
                 * @example ptr_pending
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 65,536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovePaymentRequest"];
            };
        };
        responses: {
            /** @description The payment request, with the new approval last in `approvals`. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentRequest"];
                };
            };
            /**
             * @description `invalid_request`: The request is not valid.
             *
             *     `invalid_idempotency_key`: The Idempotency-Key is not valid.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 400;
                        /** @enum {string} */
                        code?: "invalid_request" | "invalid_idempotency_key";
                    };
                };
            };
            /** @description `unauthenticated`: The access token is missing or not valid. */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 401;
                        /** @enum {string} */
                        code?: "unauthenticated";
                    };
                };
            };
            /**
             * @description `insufficient_scope`: The access token lacks a scope.
             *
             *     `not_a_manager`: The approver is not a manager of this account.
             *
             *     `request_blocked`: The request was blocked.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 403;
                        /** @enum {string} */
                        code?: "insufficient_scope" | "not_a_manager" | "request_blocked";
                    };
                };
            };
            /**
             * @description `payment_request_not_found`: No such payment request.
             *
             *     `route_not_found`: No such route.
             */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 404;
                        /** @enum {string} */
                        code?: "payment_request_not_found" | "route_not_found";
                    };
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            405: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    /** @description The methods of this path; to a body of an unusual media type, those that all paths have. */
                    Allow: "POST";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 405;
                        /** @enum {string} */
                        code?: "method_not_allowed";
                    };
                };
            };
            /** @description `idempotency_key_in_use`: The first request with this Idempotency-Key is still running. */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 409;
                        /** @enum {string} */
                        code?: "idempotency_key_in_use";
                    };
                };
            };
            /** @description `body_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 413;
                        /** @enum {string} */
                        code?: "body_too_large";
                    };
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 415;
                        /** @enum {string} */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description `idempotency_key_reused`: This Idempotency-Key was used for a different request. */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 422;
                        /** @enum {string} */
                        code?: "idempotency_key_reused";
                    };
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 429;
                        /** @enum {string} */
                        code?: "rate_limited";
                    };
                };
            };
            /** @description `internal_error`: Something went wrong on our side. */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 500;
                        /** @enum {string} */
                        code?: "internal_error";
                    };
                };
            };
            /** @description `unavailable`: The service cannot answer right now; try again. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 503;
                        /** @enum {string} */
                        code?: "unavailable";
                    };
                };
            };
            /** @description `outcome_unknown`: It is not known whether the request took effect. */
            504: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 504;
                        /** @enum {string} */
                        code?: "outcome_unknown";
                    };
                };
            };
        };
    };
    listSandboxes: {
        parameters: {
            query?: {
                /**
                 * @description How many sandboxes to return at the most.
                 * @example 50
                 */
                limit?: number;
                /** @description From an earlier page: returns the next one in the same direction. */
                cursor?: string;
                /** @description Returns what comes after this sandbox in the list: older ones. */
                starting_after?: string;
                /** @description Returns what comes before this sandbox in the list: newer ones. */
                ending_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. It has a `cursor` if and only if there is another page. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxList"];
                };
            };
            /**
             * @description `invalid_request`: The request is not valid.
             *
             *     `conflicting_parameters`: These parameters cannot be combined.
             *
             *     `invalid_cursor`: The cursor is not valid.
             *
             *     `resource_missing`: A sandbox that a parameter names does not exist.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 400;
                        /** @enum {string} */
                        code?: "invalid_request" | "conflicting_parameters" | "invalid_cursor" | "resource_missing";
                    };
                };
            };
            /** @description `unauthenticated`: The access token is missing or not valid. */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 401;
                        /** @enum {string} */
                        code?: "unauthenticated";
                    };
                };
            };
            /**
             * @description `insufficient_scope`: The access token lacks a scope.
             *
             *     `live_workspace_required`: Only a live workspace can own sandboxes.
             *
             *     `request_blocked`: The request was blocked.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 403;
                        /** @enum {string} */
                        code?: "insufficient_scope" | "live_workspace_required" | "request_blocked";
                    };
                };
            };
            /** @description `route_not_found`: No such route. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 404;
                        /** @enum {string} */
                        code?: "route_not_found";
                    };
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            405: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    /** @description The methods of this path; to a body of an unusual media type, those that all paths have. */
                    Allow: "GET, POST" | "POST";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 405;
                        /** @enum {string} */
                        code?: "method_not_allowed";
                    };
                };
            };
            /** @description `body_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 413;
                        /** @enum {string} */
                        code?: "body_too_large";
                    };
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 415;
                        /** @enum {string} */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 429;
                        /** @enum {string} */
                        code?: "rate_limited";
                    };
                };
            };
            /** @description `internal_error`: Something went wrong on our side. */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 500;
                        /** @enum {string} */
                        code?: "internal_error";
                    };
                };
            };
            /** @description `unavailable`: The service cannot answer right now; try again. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 503;
                        /** @enum {string} */
                        code?: "unavailable";
                    };
                };
            };
            /** @description `outcome_unknown`: It is not known whether the request took effect. */
            504: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 504;
                        /** @enum {string} */
                        code?: "outcome_unknown";
                    };
                };
            };
        };
    };
    createSandbox: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: for 30 days a request with the same key gets the first answer and has no effect of its own. 1 to 255 printable ASCII characters, remembered per workspace and operation; a key in double quotes is the same key. Only successes are kept: after an error the key may be used again.
                 * @example 7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 65,536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSandbox"];
            };
        };
        responses: {
            /** @description The new sandbox. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sandbox"];
                };
            };
            /**
             * @description `invalid_request`: The request is not valid.
             *
             *     `invalid_idempotency_key`: The Idempotency-Key is not valid.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 400;
                        /** @enum {string} */
                        code?: "invalid_request" | "invalid_idempotency_key";
                    };
                };
            };
            /** @description `unauthenticated`: The access token is missing or not valid. */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 401;
                        /** @enum {string} */
                        code?: "unauthenticated";
                    };
                };
            };
            /**
             * @description `insufficient_scope`: The access token lacks a scope.
             *
             *     `live_workspace_required`: Only a live workspace can own sandboxes.
             *
             *     `request_blocked`: The request was blocked.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 403;
                        /** @enum {string} */
                        code?: "insufficient_scope" | "live_workspace_required" | "request_blocked";
                    };
                };
            };
            /** @description `route_not_found`: No such route. */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 404;
                        /** @enum {string} */
                        code?: "route_not_found";
                    };
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            405: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    /** @description The methods of this path; to a body of an unusual media type, those that all paths have. */
                    Allow: "GET, POST" | "POST";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 405;
                        /** @enum {string} */
                        code?: "method_not_allowed";
                    };
                };
            };
            /** @description `idempotency_key_in_use`: The first request with this Idempotency-Key is still running. */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 409;
                        /** @enum {string} */
                        code?: "idempotency_key_in_use";
                    };
                };
            };
            /** @description `body_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 413;
                        /** @enum {string} */
                        code?: "body_too_large";
                    };
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 415;
                        /** @enum {string} */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description `idempotency_key_reused`: This Idempotency-Key was used for a different request. */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 422;
                        /** @enum {string} */
                        code?: "idempotency_key_reused";
                    };
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 429;
                        /** @enum {string} */
                        code?: "rate_limited";
                    };
                };
            };
            /** @description `internal_error`: Something went wrong on our side. */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 500;
                        /** @enum {string} */
                        code?: "internal_error";
                    };
                };
            };
            /** @description `unavailable`: The service cannot answer right now; try again. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 503;
                        /** @enum {string} */
                        code?: "unavailable";
                    };
                };
            };
            /** @description `outcome_unknown`: It is not known whether the request took effect. */
            504: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 504;
                        /** @enum {string} */
                        code?: "outcome_unknown";
                    };
                };
            };
        };
    };
    resendOffer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: for 30 days a request with the same key gets the first answer and has no effect of its own. 1 to 255 printable ASCII characters, remembered per workspace and operation; a key in double quotes is the same key. Only successes are kept: after an error the key may be used again.
                 * @example 7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The identifier of the offer. One that is malformed, unknown or another workspace's is not found.
                 * @example ofr_sent
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The offer, its delivery summary counting the new attempt. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            /**
             * @description `invalid_request`: The request is not valid.
             *
             *     `invalid_idempotency_key`: The Idempotency-Key is not valid.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 400;
                        /** @enum {string} */
                        code?: "invalid_request" | "invalid_idempotency_key";
                    };
                };
            };
            /** @description `unauthenticated`: The access token is missing or not valid. */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 401;
                        /** @enum {string} */
                        code?: "unauthenticated";
                    };
                };
            };
            /**
             * @description `insufficient_scope`: The access token lacks a scope.
             *
             *     `request_blocked`: The request was blocked.
             */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 403;
                        /** @enum {string} */
                        code?: "insufficient_scope" | "request_blocked";
                    };
                };
            };
            /**
             * @description `offer_not_found`: No such offer.
             *
             *     `route_not_found`: No such route.
             */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 404;
                        /** @enum {string} */
                        code?: "offer_not_found" | "route_not_found";
                    };
                };
            };
            /** @description `method_not_allowed`: This path does not support this method. */
            405: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    /** @description The methods of this path; to a body of an unusual media type, those that all paths have. */
                    Allow: "POST";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 405;
                        /** @enum {string} */
                        code?: "method_not_allowed";
                    };
                };
            };
            /**
             * @description `offer_not_sent`: Only a sent offer can be sent again.
             *
             *     `idempotency_key_in_use`: The first request with this Idempotency-Key is still running.
             */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    /** @description After how many seconds the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 409;
                        /** @enum {string} */
                        code?: "offer_not_sent" | "idempotency_key_in_use";
                    };
                };
            };
            /** @description `body_too_large`: The body is larger than 64 KiB. */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 413;
                        /** @enum {string} */
                        code?: "body_too_large";
                    };
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 415;
                        /** @enum {string} */
                        code?: "unsupported_media_type";
                    };
                };
            };
            /** @description `idempotency_key_reused`: This Idempotency-Key was used for a different request. */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 422;
                        /** @enum {string} */
                        code?: "idempotency_key_reused";
                    };
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 429;
                        /** @enum {string} */
                        code?: "rate_limited";
                    };
                };
            };
            /** @description `internal_error`: Something went wrong on our side. */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 500;
                        /** @enum {string} */
                        code?: "internal_error";
                    };
                };
            };
            /** @description `unavailable`: The service cannot answer right now; try again. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 503;
                        /** @enum {string} */
                        code?: "unavailable";
                    };
                };
            };
            /** @description `outcome_unknown`: It is not known whether the request took effect. */
            504: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @constant */
                        status?: 504;
                        /** @enum {string} */
                        code?: "outcome_unknown";
                    };
                };
            };
        };
    };
}
