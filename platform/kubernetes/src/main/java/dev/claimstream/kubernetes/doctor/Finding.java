package dev.claimstream.kubernetes.doctor;

import java.util.Locale;

/**
 * Result of one check.
 *
 * @param check name of the check, stable across runs
 * @param seen observation for people, with names and numbers
 * @param remedy what to do; empty if the check passed
 */
public record Finding(String check, Verdict verdict, String seen, String remedy) {
    /** Severity of a finding. */
    public enum Verdict {
        OK,
        /** It works but deserves attention, or it could not be checked. */
        WARNING,
        /** It does not work, or it is unsafe. */
        FAILED;

        /** Returns the word for users. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Finding {
        if ((verdict == Verdict.OK) != remedy.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s is %s with the remedy '%s'".formatted(check, verdict.text(), remedy));
        }
    }

    /** Creates a finding of a passed check. */
    public static Finding ok(String check, String seen) {
        return new Finding(check, Verdict.OK, seen, "");
    }

    /** Creates a finding for something that works but deserves attention, or that could not be checked. */
    public static Finding warning(String check, String seen, String remedy) {
        return new Finding(check, Verdict.WARNING, seen, remedy);
    }

    /** Creates a finding for something that does not work or is unsafe. */
    public static Finding failed(String check, String seen, String remedy) {
        return new Finding(check, Verdict.FAILED, seen, remedy);
    }
}
