package dev.claimstream.kubernetes.doctor;

import java.util.List;

/** Result of a request with {@code dryRun=All}; one case means no response. */
public sealed interface DryRunResult {
    /**
     * Response of the server.
     *
     * @param code HTTP status code
     * @param message error message of the server
     * @param presentFields fields looked for that the stored object would contain
     */
    record Response(int code, String message, List<String> presentFields) implements DryRunResult {
        private static final int CONFLICT = 409;

        public Response {
            presentFields = List.copyOf(presentFields);
        }

        /** Returns whether admission let the request through. The server detects a name conflict after admission. */
        boolean isAdmitted() {
            return isSuccess() || code == CONFLICT;
        }

        boolean isSuccess() {
            return code >= 200 && code < 300;
        }
    }

    /**
     * The dry run did not take place.
     *
     * @param remedy how to make it possible
     */
    record Skipped(String message, String remedy) implements DryRunResult {}
}
