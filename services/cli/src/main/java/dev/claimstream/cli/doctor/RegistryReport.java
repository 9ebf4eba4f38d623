package dev.claimstream.cli.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.kafka.examination.SubjectFacts;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.util.List;
import java.util.Optional;

/**
 * The subjects of the contracts in a schema registry, and the findings on them.
 *
 * @param subjects existing subjects of the contracts
 */
public record RegistryReport(QueryResult<List<SubjectFacts>> subjects) {
    private static final String LEVEL = SubjectFacts.REQUIRED_LEVEL;

    static RegistryReport of(RestRegistry registry) {
        return new RegistryReport(ServiceQueries.registry(() -> SubjectFacts.of(registry)));
    }

    /**
     * Returns the finding on schemas of the registry that do not fit those of this program.
     *
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry does not respond as one
     */
    public static DoctorFinding compatibility(RestRegistry registry) {
        return compatibility(SubjectFacts.of(registry));
    }

    public List<DoctorFinding> findings() {
        return switch (subjects) {
            case QueryResult.Failure<List<SubjectFacts>>(String why) ->
                List.of(warning("schemas", "not checked: " + why, "correct this, and run doctor again"));
            case QueryResult.Value<List<SubjectFacts>>(List<SubjectFacts> found) ->
                List.of(compatibility(found), level(found));
        };
    }

    private static DoctorFinding compatibility(List<SubjectFacts> found) {
        String check = "schemas";
        Optional<SubjectFacts> incompatible =
                found.stream().filter(each -> !each.objections().isEmpty()).findFirst();
        return incompatible
                .map(each -> failed(
                        check,
                        "%s has a schema that does not fit the one of this program: %s"
                                .formatted(each.subject(), each.objections().getFirst()),
                        "find the producer that registered it; delete that version (DELETE /subjects/%s/versions/N) once no record has it"
                                .formatted(each.subject())))
                .orElseGet(() -> ok(check, "those of %d subjects fit those of this program".formatted(found.size())));
    }

    private static DoctorFinding level(List<SubjectFacts> found) {
        String check = "compatibility level";
        List<String> weak = found.stream()
                .filter(each -> !each.level().equals(LEVEL))
                .map(each -> "%s (%s)".formatted(each.subject(), each.level()))
                .toList();
        return weak.isEmpty()
                ? ok(check, "%s for %d subjects".formatted(LEVEL, found.size()))
                : warning(
                        check,
                        "incompatible schemas can be registered under " + String.join(", ", weak),
                        "set the level %s: PUT /config/SUBJECT {\"compatibility\": \"%s\"}".formatted(LEVEL, LEVEL));
    }
}
