package dev.claimstream.kubernetes.doctor;

import java.util.Locale;

/**
 * Result of one check.
 *
 * @param check name of the check, stable across runs
 * @param observation observation for people, with names and numbers
 * @param remedy what to do; empty if the check passed
 */
public record DoctorFinding(String check, FindingStatus status, String observation, String remedy) {
    /** Severity of a finding. */
    public enum FindingStatus {
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

    public DoctorFinding {
        if ((status == FindingStatus.OK) != remedy.isEmpty()) {
            throw new IllegalArgumentException("%s is %s with the remedy '%s'".formatted(check, status.text(), remedy));
        }
    }

    /** Creates a finding of a passed check. */
    public static DoctorFinding ok(String check, String observed) {
        return new DoctorFinding(check, FindingStatus.OK, observed, "");
    }

    /** Creates a finding for something that works but deserves attention, or that could not be checked. */
    public static DoctorFinding warning(String check, String observed, String remedy) {
        return new DoctorFinding(check, FindingStatus.WARNING, observed, remedy);
    }

    /** Creates a finding for something that does not work or is unsafe. */
    public static DoctorFinding failed(String check, String observed, String remedy) {
        return new DoctorFinding(check, FindingStatus.FAILED, observed, remedy);
    }
}
