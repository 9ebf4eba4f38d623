package dev.claimstream.kafka.examination;

import dev.claimstream.kafka.contracts.SubjectSchemas;
import dev.claimstream.kafka.registry.CompatibilityLevel;
import dev.claimstream.kafka.registry.RestRegistry;
import java.util.List;

/**
 * A subject of the contracts in a schema registry.
 *
 * @param level its compatibility level, or the default of the registry
 * @param objections incompatibilities of its schemas with that of this program, one line each
 */
public record SubjectFacts(String subject, String level, List<String> objections) {
    /** The level that the contracts need. */
    public static final String REQUIRED_LEVEL = CompatibilityLevel.FULL_TRANSITIVE.name();

    public SubjectFacts {
        objections = List.copyOf(objections);
    }

    /**
     * Reads the existing subjects of the contracts.
     *
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry does not respond as one
     */
    public static List<SubjectFacts> of(RestRegistry registry) {
        List<String> existing = registry.subjects();
        return SubjectSchemas.shipped().bySubject().entrySet().stream()
                .filter(each -> existing.contains(each.getKey()))
                .map(each -> new SubjectFacts(
                        each.getKey(),
                        registry.level(each.getKey()),
                        CompatibilityLevel.FULL_TRANSITIVE.objections(
                                each.getValue(), registry.versions(each.getKey()))))
                .toList();
    }
}
