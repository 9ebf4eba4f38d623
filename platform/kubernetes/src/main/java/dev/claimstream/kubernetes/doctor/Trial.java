package dev.claimstream.kubernetes.doctor;

import java.util.List;

/** What became of a request that changes nothing (a dry run). */
public sealed interface Trial {
    /**
     * The server answered.
     *
     * @param code of HTTP
     * @param message what it says of a no
     * @param marks which of the things that were looked for are in the object that it would have stored
     */
    record Answered(int code, String message, List<String> marks) implements Trial {
        private static final int CONFLICT = 409;

        public Answered {
            marks = List.copyOf(marks);
        }

        /** Whether all rules let it through; that an object of this name is there already is found after them. */
        boolean isLetThrough() {
            return isTaken() || code == CONFLICT;
        }

        boolean isTaken() {
            return code >= 200 && code < 300;
        }
    }

    /**
     * It was not asked.
     *
     * @param remedy what to do, so that it can be
     */
    record NotTried(String why, String remedy) implements Trial {}
}
