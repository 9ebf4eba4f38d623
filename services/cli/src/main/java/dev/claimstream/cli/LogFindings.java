package dev.claimstream.cli;

import static dev.claimstream.kubernetes.doctor.Finding.failed;
import static dev.claimstream.kubernetes.doctor.Finding.ok;
import static dev.claimstream.kubernetes.doctor.Finding.warning;

import dev.claimstream.kubernetes.doctor.Finding;
import java.util.List;

/** What follows from how topics and registry are. */
final class LogFindings {
    private static final List<String> SUBJECTS = List.of("inventory.v1-value", "claims.v1-value");

    private LogFindings() {}

    /**
     * Of the topics.
     *
     * @param missing names of those that are
     * @param ifWrong what to do where they cannot be looked at, or are others
     * @param ifMissing what to do where some are missing
     */
    static Finding topics(Asked<List<String>> missing, String ifWrong, String ifMissing) {
        String check = "topics";
        return switch (missing) {
            case Asked.Silent<List<String>>(String why) -> failed(check, why, ifWrong);
            case Asked.Answered<List<String>>(List<String> names) ->
                names.isEmpty()
                        ? ok(check, "all are there, with the partitions and settings of the contracts")
                        : failed(check, "missing: " + String.join(", ", names), ifMissing);
        };
    }

    /**
     * Of the registry.
     *
     * @param subjects that it has
     * @param ifSilent what to do where it does not answer
     */
    static Finding registry(Asked<List<String>> subjects, String ifSilent) {
        String check = "registry";
        return switch (subjects) {
            case Asked.Silent<List<String>>(String why) -> failed(check, why, ifSilent);
            case Asked.Answered<List<String>>(List<String> there) -> {
                List<String> missing =
                        SUBJECTS.stream().filter(each -> !there.contains(each)).toList();
                yield missing.isEmpty()
                        ? ok(check, "has %d subjects".formatted(there.size()))
                        : warning(
                                check,
                                "has no subject " + String.join(", ", missing),
                                "wait for the watcher, which registers them with its first records");
            }
        };
    }
}
