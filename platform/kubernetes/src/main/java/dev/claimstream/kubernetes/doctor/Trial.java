package dev.claimstream.kubernetes.doctor;

import java.util.List;

/** Result of a dry run. */
public sealed interface Trial {
    /**
     * Response of the server.
     *
     * @param code HTTP status code
     * @param message error message of the server
     * @param marks fields looked for that the stored object would contain
     */
    record Answered(int code, String message, List<String> marks) implements Trial {
        private static final int CONFLICT = 409;

        public Answered {
            marks = List.copyOf(marks);
        }

        /** Returns whether admission let the request through. The server detects a name conflict after admission. */
        boolean isLetThrough() {
            return isTaken() || code == CONFLICT;
        }

        boolean isTaken() {
            return code >= 200 && code < 300;
        }
    }

    /**
     * The dry run did not take place.
     *
     * @param remedy how to make it possible
     */
    record NotTried(String why, String remedy) implements Trial {}
}
