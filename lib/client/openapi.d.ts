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
         * @description Any manager of the account can approve a request, any number of times. Each approval is listed separately. The request becomes `approved` from any status.
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
         * @description Returns the sandboxes of the token's live workspace, newest first. Following the cursors returns each sandbox once, even while others are created. Send at most one of `cursor`, `starting_after` and `ending_before`.
         *
         *     Scope: `sandboxes:read`, with the token of a live workspace.
         */
        get: operations["listSandboxes"];
        put?: never;
        /**
         * Create a sandbox
         * @description Returns a sandbox with the status `provisioning`. It is `ready` within seconds, and its test workspace then contains data for the other operations: for `sbx_X` the payment request `ptr_X`, the sent offer `ofr_X` and the manager `00000000-0000-4000-8000-000000000001`.
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
         * @description Sends the offer again to the address stored on it. The offer must have been sent before. Each request creates another delivery attempt. A retry with the same `Idempotency-Key` returns the saved response and sends nothing. A test workspace sends no e-mail: the attempt is simulated. The request has no body.
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
export interface webhooks {
    paymentRequestApproved: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment request was approved
         * @description A manager has approved a payment request. There is one event for each approval.
         */
        post: operations["paymentRequestApproved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    paymentRequestEnded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An approved payment request was ended
         * @description A record has rejected or cancelled an approved payment request, or says that it was paid. The event may arrive before that of the approval: compare `time`.
         */
        post: operations["paymentRequestEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    sandboxChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A sandbox was created or became ready
         * @description A sandbox was created, or has become ready.
         */
        post: operations["sandboxChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    deliveryAttemptChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A delivery attempt was created or ended
         * @description An offer was sent or sent again, or the delivery of its mail has ended. A `sent` attempt can later become `delivered`, `bounced` or `complained`.
         */
        post: operations["deliveryAttemptChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    recordRefused: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A record was refused
         * @description A record that a system of the company has sent was refused. Correct it, and send it with a higher version. There is no event of a message without a workspace that exists, or of an id that belongs to another workspace.
         */
        post: operations["recordRefused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    personalDataRedacted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Personal data was redacted
         * @description An operator has redacted the personal data of payment requests, with the reasons of their approvals, and of offers. Delete your copies of them.
         */
        post: operations["personalDataRedacted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description A worker's request to be paid. */
        PaymentRequest: {
            /** @description Identifier of the payment request. */
            id: string;
            /** @description Identifier of the worker. Personal data. */
            worker: string;
            /** @description A decimal number with two fractional digits. */
            amount: string;
            /** @description ISO 4217 code. */
            currency: string;
            /**
             * @description An approval changes any status to `approved`.
             * @enum {string}
             */
            status: "draft" | "pending" | "approved" | "rejected" | "paid" | "cancelled";
            /** @description Short reference code. Personal data; `redacted` after a redaction. */
            reference: string;
            /** @description Free text. Personal data; empty after a redaction. */
            note: string;
            /** @description The days that the payment covers. */
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
            /** @description Documents attached to the request. Personal data; empty after a redaction. */
            documents: unknown[];
            /** @description One identifier for each approval, oldest first. */
            approvals: string[];
            /** @description Null until a payment exists. Personal data; an empty object after a redaction. */
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
             * @description UUID of the manager who approves, in upper or lower case.
             */
            approver: string;
            /** @description The reason for the approval, shown to the worker. It contains at least one visible character. */
            reason?: string;
        };
        /** @description An isolated test workspace of a live workspace. */
        Sandbox: {
            /** @description Identifier of the sandbox. The order of identifiers is the order of creation. */
            id: string;
            /** @description The name given at creation. */
            name: string;
            /**
             * @description `provisioning` until the test workspace is filled, then `ready`.
             * @enum {string}
             */
            status: "provisioning" | "ready";
            /** @description Identifier of the live workspace that owns the sandbox. */
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
        /** @description The sandbox to create. */
        CreateSandbox: {
            /** @description Human-readable name. White space around it is removed before its length is checked. It contains at least one visible character. */
            name: string;
        };
        /** @description One page of sandboxes. */
        SandboxList: {
            /** @description The sandboxes of the page, newest first in either direction. */
            sandboxes: components["schemas"]["Sandbox"][];
            /** @description Send it to fetch the next page in the same direction. Absent on the last page. */
            cursor?: string;
        };
        /** @description An offer and its delivery status. */
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
             * @description E-mail address of the recipient. Personal data; `redacted@redacted.invalid` after a redaction.
             */
            recipient_email: string;
            /** @description Summary of the delivery attempts. */
            delivery: {
                /** @description Number of delivery attempts, including the first delivery. */
                attempts: number;
                /** @description The newest delivery attempt. Null before the first. */
                last_attempt: {
                    /** @description Identifier of the delivery attempt. */
                    id: string;
                    /**
                     * @description `queued`, then `sending`, then `sent` or `failed`. A `sent` attempt can become `delivered`, `bounced` or `complained`. `simulated` in a test workspace.
                     * @enum {string}
                     */
                    status: "queued" | "sending" | "sent" | "failed" | "simulated" | "delivered" | "bounced" | "complained";
                    /** @description A code for why the attempt failed: `message_rejected` (the mail provider refused the message), `invalid_message` (the mail provider could not read the message), `restored` (operators restored the table, and the mail may have been sent); or bounced: `transient` (the mailbox did not take the message for the time being, for example because it was full), `undetermined` (the bounce does not say why), `suppressed` (not sent, because an earlier message to this address bounced or was reported as spam), `permanent` (the address does not exist, or its server refuses the message for good). More codes may be added. */
                    reason?: string;
                    /**
                     * Format: date-time
                     * @description When it was requested, in UTC.
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
        /** @description A manager has approved a payment request. There is one event for each approval. */
        PaymentRequestEvent: {
            /** @description Identifier of the event. A repeated event has the same one. */
            id: string;
            /**
             * @description The type of the event.
             * @enum {string}
             */
            type: "payment_request.approved";
            /**
             * @description Changes when a member is removed or changes its meaning. New members do not change it.
             * @constant
             */
            version: 1;
            /** @description Identifier of the workspace, live or test. */
            workspace: string;
            /** @description Identifier of the account that owns the workspace. */
            account: string;
            /** @description Whether it happened in a live workspace. `false` in a test workspace: a consumer that pays ignores it. */
            livemode: boolean;
            /**
             * Format: date-time
             * @description When it happened, in UTC.
             */
            time: string;
            /** @description The `Request-Id` of the request that caused the event, the `run_…` of a command of operators, or the id of the message of a record. */
            request_id: string;
            /** @description Who sent that request: the id of an access token (`tok_…`), or `operator:` or `sender:` and a name, which may be personal data. */
            actor: string;
            /** @description The approval, and the payment request as it was approved. */
            data: {
                /** @description The approval. */
                approval: {
                    /** @description Identifier of the approval. */
                    id: string;
                    /**
                     * Format: uuid
                     * @description UUID of the manager who approved. Personal data.
                     */
                    approver: string;
                    /** @description Why the request was approved. Free text, visible to the worker. Personal data. */
                    reason?: string;
                    /**
                     * Format: date-time
                     * @description When it was approved, in UTC.
                     */
                    created: string;
                    /**
                     * @description The status that was approved. A consumer pays what was `draft` or `pending`. An `approved` request has had another event. A person decides about any other status.
                     * @enum {string}
                     */
                    previous_status: "draft" | "pending" | "approved" | "rejected" | "paid" | "cancelled";
                    /** @description The version of the record that was approved; 0 if none was sent. Absent where a later version differs in `worker`, `amount` or `currency` from what was approved before. */
                    record_version?: number;
                };
                /** @description The payment request. */
                payment_request: {
                    /** @description Identifier of the payment request. */
                    id: string;
                    /** @description Identifier of the worker. Personal data. */
                    worker: string;
                    /** @description A decimal number with two fractional digits. Personal data, beside the worker. */
                    amount: string;
                    /** @description ISO 4217 code. */
                    currency: string;
                    /**
                     * @description The status that the approval gave it.
                     * @constant
                     */
                    status: "approved";
                };
            };
        };
        /** @description A record has rejected or cancelled an approved payment request, or says that it was paid. The event may arrive before that of the approval: compare `time`. */
        PaymentRequestEndedEvent: {
            /** @description Identifier of the event. A repeated event has the same one. */
            id: string;
            /**
             * @description The type of the event.
             * @enum {string}
             */
            type: "payment_request.ended";
            /**
             * @description Changes when a member is removed or changes its meaning. New members do not change it.
             * @constant
             */
            version: 1;
            /** @description Identifier of the workspace, live or test. */
            workspace: string;
            /** @description Identifier of the account that owns the workspace. */
            account: string;
            /** @description Whether it happened in a live workspace. `false` in a test workspace: a consumer that pays ignores it. */
            livemode: boolean;
            /**
             * Format: date-time
             * @description When it happened, in UTC.
             */
            time: string;
            /** @description The `Request-Id` of the request that caused the event, the `run_…` of a command of operators, or the id of the message of a record. */
            request_id: string;
            /** @description Who sent that request: the id of an access token (`tok_…`), or `operator:` or `sender:` and a name, which may be personal data. */
            actor: string;
            /** @description The payment request as it was approved, and how it ended. */
            data: {
                /** @description The version of the record that ended it. */
                record_version: number;
                /** @description The payment request. */
                payment_request: {
                    /** @description Identifier of the payment request. */
                    id: string;
                    /** @description Identifier of the worker. Personal data. */
                    worker: string;
                    /** @description A decimal number with two fractional digits. Personal data, beside the worker. */
                    amount: string;
                    /** @description ISO 4217 code. */
                    currency: string;
                    /**
                     * @description The status that the record gave it.
                     * @enum {string}
                     */
                    status: "rejected" | "paid" | "cancelled";
                };
            };
        };
        /** @description A sandbox was created, or has become ready. */
        SandboxEvent: {
            /** @description Identifier of the event. A repeated event has the same one. */
            id: string;
            /**
             * @description The type of the event.
             * @enum {string}
             */
            type: "sandbox.created" | "sandbox.ready";
            /**
             * @description Changes when a member is removed or changes its meaning. New members do not change it.
             * @constant
             */
            version: 1;
            /** @description Identifier of the workspace, live or test. */
            workspace: string;
            /** @description Identifier of the account that owns the workspace. */
            account: string;
            /** @description Whether it happened in a live workspace. `false` in a test workspace: a consumer that pays ignores it. */
            livemode: boolean;
            /**
             * Format: date-time
             * @description When it happened, in UTC.
             */
            time: string;
            /** @description The `Request-Id` of the request that caused the event, the `run_…` of a command of operators, or the id of the message of a record. */
            request_id: string;
            /** @description Who sent that request: the id of an access token (`tok_…`), or `operator:` or `sender:` and a name, which may be personal data. */
            actor: string;
            /** @description The sandbox at that time. */
            data: components["schemas"]["Sandbox"];
        };
        /** @description An offer was sent or sent again, or the delivery of its mail has ended. A `sent` attempt can later become `delivered`, `bounced` or `complained`. */
        DeliveryAttemptEvent: {
            /** @description Identifier of the event. A repeated event has the same one. */
            id: string;
            /**
             * @description The type of the event.
             * @enum {string}
             */
            type: "delivery_attempt.created" | "delivery_attempt.sent" | "delivery_attempt.simulated" | "delivery_attempt.failed" | "delivery_attempt.delivered" | "delivery_attempt.bounced" | "delivery_attempt.complained";
            /**
             * @description Changes when a member is removed or changes its meaning. New members do not change it.
             * @constant
             */
            version: 1;
            /** @description Identifier of the workspace, live or test. */
            workspace: string;
            /** @description Identifier of the account that owns the workspace. */
            account: string;
            /** @description Whether it happened in a live workspace. `false` in a test workspace: a consumer that pays ignores it. */
            livemode: boolean;
            /**
             * Format: date-time
             * @description When it happened, in UTC.
             */
            time: string;
            /** @description The `Request-Id` of the request that caused the event, the `run_…` of a command of operators, or the id of the message of a record. */
            request_id: string;
            /** @description Who sent that request: the id of an access token (`tok_…`), or `operator:` or `sender:` and a name, which may be personal data. */
            actor: string;
            /** @description The delivery attempt at that time. */
            data: {
                /** @description Identifier of the delivery attempt. */
                id: string;
                /** @description Identifier of the offer. */
                offer: string;
                /**
                 * @description Its status at that time.
                 * @enum {string}
                 */
                status: "queued" | "sending" | "sent" | "failed" | "simulated" | "delivered" | "bounced" | "complained";
                /** @description A code for why the attempt failed: `message_rejected` (the mail provider refused the message), `invalid_message` (the mail provider could not read the message), `restored` (operators restored the table, and the mail may have been sent); or bounced: `transient` (the mailbox did not take the message for the time being, for example because it was full), `undetermined` (the bounce does not say why), `suppressed` (not sent, because an earlier message to this address bounced or was reported as spam), `permanent` (the address does not exist, or its server refuses the message for good). More codes may be added. */
                reason?: string;
                /**
                 * Format: date-time
                 * @description When it was requested, in UTC.
                 */
                created: string;
            };
        };
        /** @description A record that a system of the company has sent was refused. Correct it, and send it with a higher version. There is no event of a message without a workspace that exists, or of an id that belongs to another workspace. */
        RefusalEvent: {
            /** @description Identifier of the event. A repeated event has the same one. */
            id: string;
            /**
             * @description The type of the event.
             * @enum {string}
             */
            type: "record.refused";
            /**
             * @description Changes when a member is removed or changes its meaning. New members do not change it.
             * @constant
             */
            version: 1;
            /** @description Identifier of the workspace, live or test. */
            workspace: string;
            /** @description Identifier of the account that owns the workspace. */
            account: string;
            /** @description Whether it happened in a live workspace. `false` in a test workspace: a consumer that pays ignores it. */
            livemode: boolean;
            /**
             * Format: date-time
             * @description When it happened, in UTC.
             */
            time: string;
            /** @description The `Request-Id` of the request that caused the event, the `run_…` of a command of operators, or the id of the message of a record. */
            request_id: string;
            /** @description Who sent that request: the id of an access token (`tok_…`), or `operator:` or `sender:` and a name, which may be personal data. */
            actor: string;
            /** @description The record, and what is wrong with it. */
            data: {
                /**
                 * @description What the message has. Absent if it has neither, or both.
                 * @enum {string}
                 */
                kind?: "payment_request" | "offer";
                /** @description Identifier of the payment request or offer, if it is valid. */
                record?: string;
                /** @description Version of the record, if it is valid. */
                version?: number;
                /** @description What is wrong: the first 20 faults. */
                faults: {
                    member?: string;
                    code: string;
                    detail: string;
                    count: number;
                }[];
                /** @description How many more faults there are. */
                more: number;
            };
        };
        /** @description An operator has redacted the personal data of payment requests, with the reasons of their approvals, and of offers. Delete your copies of them. */
        RedactionEvent: {
            /** @description Identifier of the event. A repeated event has the same one. */
            id: string;
            /**
             * @description The type of the event.
             * @enum {string}
             */
            type: "personal_data.redacted";
            /**
             * @description Changes when a member is removed or changes its meaning. New members do not change it.
             * @constant
             */
            version: 1;
            /** @description Identifier of the workspace, live or test. */
            workspace: string;
            /** @description Identifier of the account that owns the workspace. */
            account: string;
            /** @description Whether it happened in a live workspace. `false` in a test workspace: a consumer that pays ignores it. */
            livemode: boolean;
            /**
             * Format: date-time
             * @description When it happened, in UTC.
             */
            time: string;
            /** @description The `Request-Id` of the request that caused the event, the `run_…` of a command of operators, or the id of the message of a record. */
            request_id: string;
            /** @description Who sent that request: the id of an access token (`tok_…`), or `operator:` or `sender:` and a name, which may be personal data. */
            actor: string;
            /** @description The redaction. */
            data: {
                /** @description Identifier of the redaction. */
                id: string;
                /** @description Identifiers of the payment requests and offers: 100 at most. */
                ids: string[];
                /**
                 * Format: date-time
                 * @description When it began, in UTC.
                 */
                created: string;
            };
        };
        /** @description Why a request was rejected or failed: problem details (RFC 9457). */
        Problem: {
            /** @description The code as a URI. */
            type: string;
            /** @description What the code means, in a few words. */
            title: string;
            /** @description The status of the response. */
            status: number;
            /** @description A sentence about this case, for people. It may change. */
            detail: string;
            /**
             * @description Stable, for machines.
             * @enum {string}
             */
            code: "invalid_request" | "conflicting_parameters" | "invalid_cursor" | "resource_missing" | "invalid_idempotency_key" | "unauthenticated" | "insufficient_scope" | "not_a_manager" | "live_workspace_required" | "request_blocked" | "payment_request_not_found" | "offer_not_found" | "route_not_found" | "method_not_allowed" | "offer_not_sent" | "idempotency_key_in_use" | "response_too_large" | "version_mismatch" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "internal_error" | "unavailable" | "outcome_unknown";
            /** @description Identifies the request, like the header `Request-Id`. */
            request_id: string;
            /** @description With status 400: the faults of the request, the first 100 of them. */
            errors?: {
                /** @description Place in the body: a JSON pointer (RFC 6901), empty for the whole body. One of more than 200 characters is cut at a name. */
                pointer?: string;
                /** @description Name of the query parameter. */
                parameter?: string;
                /** @description Name of the header. */
                header?: string;
                /**
                 * @description Stable, for machines.
                 * @enum {string}
                 */
                code: "conflicting_parameters" | "invalid_characters" | "invalid_cursor" | "invalid_format" | "invalid_idempotency_key" | "invalid_type" | "invisible" | "malformed_json" | "repeated" | "required" | "resource_missing" | "too_long" | "too_short" | "unknown";
                /** @description A sentence for people. It may change. */
                detail: string;
            }[];
            /** @description With status 412: the version of the record, unless the record ended with another worker, amount or currency than was approved. */
            version?: number;
        };
    };
    responses: never;
    parameters: {
        /**
         * @description Makes a retry safe: for 30 days, a request with the same key returns the saved response and has no effect of its own. 1 to 255 printable ASCII characters; a key in double quotes equals the bare key. A key that is sent twice is rejected, also in one line (`k, k`), and so is a list of keys in quotes; `k,k` without a space is one key. Keys belong to a workspace and an operation. Only successes are saved: after an error, the same key can be sent again.
         * @example 7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e
         */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Identifies the request. Quote it to support. */
        RequestId: string;
        /** @description Present when the response is that of an earlier request with the same key. */
        IdempotentReplayed: "true";
        /** @description Responses contain personal data and must not be cached. */
        CacheControl: "no-store";
        /** @description The service responds over TLS only. */
        StrictTransportSecurity: "max-age=63072000";
        /** @description Clients must not guess a media type other than `Content-Type`. */
        XContentTypeOptions: "nosniff";
        /** @description Seconds after which to send the request again. */
        RetryAfter: number;
        /** @description The authentication scheme. */
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
                 * @description Approves only if the version of the payment request is one of these: entity tags, such as `"7"` or `"6", "7"`. `*` is any version, `"0"` where no record was sent. A weak tag, such as `W/"7"`, matches none. Another version returns 412.
                 * @example "0"
                 */
                "If-Match"?: string;
                /**
                 * @description Makes a retry safe: for 30 days, a request with the same key returns the saved response and has no effect of its own. 1 to 255 printable ASCII characters; a key in double quotes equals the bare key. A key that is sent twice is rejected, also in one line (`k, k`), and so is a list of keys in quotes; `k,k` without a space is one key. Keys belong to a workspace and an operation. Only successes are saved: after an error, the same key can be sent again.
                 * @example 7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Identifier of the payment request. One that is malformed, unknown or in another workspace returns 404.
                 * @example ptr_pending
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description The maximum is 65,536 bytes. A media type with the suffix `+json` is accepted too; a content coding, such as gzip, is not. */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                    /** @description The methods of this path. For a body of an unknown media type, the methods that all paths have. */
                    Allow: "POST";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {integer} */
                        status?: 405;
                        /** @enum {string} */
                        code?: "method_not_allowed";
                    };
                };
            };
            /**
             * @description `idempotency_key_in_use`: The first request with this Idempotency-Key is still running.
             *
             *     `response_too_large`: The response is too large to be saved for a retry.
             */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    /** @description Seconds after which to send the request again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {integer} */
                        status?: 409;
                        /** @enum {string} */
                        code?: "idempotency_key_in_use" | "response_too_large";
                    };
                };
            };
            /** @description `version_mismatch`: The record has another version. */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Strict-Transport-Security": components["headers"]["StrictTransportSecurity"];
                    "X-Content-Type-Options": components["headers"]["XContentTypeOptions"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {integer} */
                        status?: 412;
                        /** @enum {string} */
                        code?: "version_mismatch";
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
                        status?: 500;
                        /** @enum {string} */
                        code?: "internal_error";
                    };
                };
            };
            /** @description `unavailable`: The service cannot respond right now; try again. */
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
                        /** @enum {integer} */
                        status?: 503;
                        /** @enum {string} */
                        code?: "unavailable";
                    };
                };
            };
            /** @description `outcome_unknown`: The outcome of the request is unknown. */
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
                        /** @enum {integer} */
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
                 * @description Maximum number of sandboxes to return.
                 * @example 50
                 */
                limit?: number;
                /** @description The `cursor` of an earlier page. Returns the next page in the same direction. */
                cursor?: string;
                /** @description Identifier of a sandbox. Returns the sandboxes after it in the list, which are older. */
                starting_after?: string;
                /** @description Identifier of a sandbox. Returns the sandboxes before it in the list, which are newer. */
                ending_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. It has a `cursor` only if another page exists. */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                    /** @description The methods of this path. For a body of an unknown media type, the methods that all paths have. */
                    Allow: "GET, POST" | "POST";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
                        status?: 500;
                        /** @enum {string} */
                        code?: "internal_error";
                    };
                };
            };
            /** @description `unavailable`: The service cannot respond right now; try again. */
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
                        /** @enum {integer} */
                        status?: 503;
                        /** @enum {string} */
                        code?: "unavailable";
                    };
                };
            };
            /** @description `outcome_unknown`: The outcome of the request is unknown. */
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
                        /** @enum {integer} */
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
                 * @description Makes a retry safe: for 30 days, a request with the same key returns the saved response and has no effect of its own. 1 to 255 printable ASCII characters; a key in double quotes equals the bare key. A key that is sent twice is rejected, also in one line (`k, k`), and so is a list of keys in quotes; `k,k` without a space is one key. Keys belong to a workspace and an operation. Only successes are saved: after an error, the same key can be sent again.
                 * @example 7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The maximum is 65,536 bytes. A media type with the suffix `+json` is accepted too; a content coding, such as gzip, is not. */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                    /** @description The methods of this path. For a body of an unknown media type, the methods that all paths have. */
                    Allow: "GET, POST" | "POST";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
                        status?: 500;
                        /** @enum {string} */
                        code?: "internal_error";
                    };
                };
            };
            /** @description `unavailable`: The service cannot respond right now; try again. */
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
                        /** @enum {integer} */
                        status?: 503;
                        /** @enum {string} */
                        code?: "unavailable";
                    };
                };
            };
            /** @description `outcome_unknown`: The outcome of the request is unknown. */
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
                        /** @enum {integer} */
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
                 * @description Makes a retry safe: for 30 days, a request with the same key returns the saved response and has no effect of its own. 1 to 255 printable ASCII characters; a key in double quotes equals the bare key. A key that is sent twice is rejected, also in one line (`k, k`), and so is a list of keys in quotes; `k,k` without a space is one key. Keys belong to a workspace and an operation. Only successes are saved: after an error, the same key can be sent again.
                 * @example 7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Identifier of the offer. One that is malformed, unknown or in another workspace returns 404.
                 * @example ofr_sent
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The offer. Its delivery summary includes the new attempt. */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                    /** @description The methods of this path. For a body of an unknown media type, the methods that all paths have. */
                    Allow: "POST";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {integer} */
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
                    /** @description Seconds after which to send the request again. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
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
                        /** @enum {integer} */
                        status?: 500;
                        /** @enum {string} */
                        code?: "internal_error";
                    };
                };
            };
            /** @description `unavailable`: The service cannot respond right now; try again. */
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
                        /** @enum {integer} */
                        status?: 503;
                        /** @enum {string} */
                        code?: "unavailable";
                    };
                };
            };
            /** @description `outcome_unknown`: The outcome of the request is unknown. */
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
                        /** @enum {integer} */
                        status?: 504;
                        /** @enum {string} */
                        code?: "outcome_unknown";
                    };
                };
            };
        };
    };
    paymentRequestApproved: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentRequestEvent"];
            };
        };
        responses: {
            /** @description The event was received. After any other response it is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    paymentRequestEnded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentRequestEndedEvent"];
            };
        };
        responses: {
            /** @description The event was received. After any other response it is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    sandboxChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxEvent"];
            };
        };
        responses: {
            /** @description The event was received. After any other response it is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliveryAttemptChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeliveryAttemptEvent"];
            };
        };
        responses: {
            /** @description The event was received. After any other response it is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recordRefused: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefusalEvent"];
            };
        };
        responses: {
            /** @description The event was received. After any other response it is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    personalDataRedacted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedactionEvent"];
            };
        };
        responses: {
            /** @description The event was received. After any other response it is sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
