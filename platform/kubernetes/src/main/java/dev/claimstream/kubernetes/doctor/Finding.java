package dev.claimstream.kubernetes.doctor;

import java.util.Locale;

/**
 * What one check found.
 *
 * @param check its name, the same in every run
 * @param seen for a person, with names and numbers
 * @param remedy what to do; empty where all is well
 */
public record Finding(String check, Verdict verdict, String seen, String remedy) {
    /** How it is. */
    public enum Verdict {
        OK,
        /** It works, or could not be looked at. */
        WARNING,
        /** Something does not work, or is not safe. */
        FAILED;

        /** The word for it. */
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

    /** All is well. */
    public static Finding ok(String check, String seen) {
        return new Finding(check, Verdict.OK, seen, "");
    }

    /** It works, but somebody should look; or it could not be looked at. */
    public static Finding warning(String check, String seen, String remedy) {
        return new Finding(check, Verdict.WARNING, seen, remedy);
    }

    /** It does not work, or is not safe. */
    public static Finding failed(String check, String seen, String remedy) {
        return new Finding(check, Verdict.FAILED, seen, remedy);
    }
}
