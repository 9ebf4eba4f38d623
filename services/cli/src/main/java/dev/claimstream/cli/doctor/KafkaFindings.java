package dev.claimstream.cli.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.util.List;

/** Findings of {@code doctor} on Kafka topics and the schema registry. */
final class KafkaFindings {
    private static final List<String> SUBJECTS = List.of("inventory.v1-value", "claims.v1-value");

    private KafkaFindings() {}

    /**
     * Returns the finding on the topics.
     *
     * @param missing names of missing topics
     * @param ifWrong remedy if the topics cannot be read or have other settings
     * @param ifMissing remedy if topics are missing
     */
    static DoctorFinding topics(QueryResult<List<String>> missing, String ifWrong, String ifMissing) {
        String check = "topics";
        return switch (missing) {
            case QueryResult.Failure<List<String>>(String why) -> failed(check, why, ifWrong);
            case QueryResult.Value<List<String>>(List<String> names) ->
                names.isEmpty()
                        ? ok(check, "all exist, with the partitions and settings of the contracts")
                        : failed(check, "missing: " + String.join(", ", names), ifMissing);
        };
    }

    /**
     * Returns the finding on the registry.
     *
     * @param subjects of the registry
     * @param ifSilent remedy if the registry does not respond
     */
    static DoctorFinding registry(QueryResult<List<String>> subjects, String ifSilent) {
        String check = "registry";
        return switch (subjects) {
            case QueryResult.Failure<List<String>>(String why) -> failed(check, why, ifSilent);
            case QueryResult.Value<List<String>>(List<String> there) -> {
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
