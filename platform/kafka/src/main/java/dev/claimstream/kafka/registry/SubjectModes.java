package dev.claimstream.kafka.registry;

import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Modes of subjects, which say how schemas are registered. Kept in memory: after a start every subject is writable. */
final class SubjectModes {
    private final Map<Optional<String>, RegistrationMode> modes = new ConcurrentHashMap<>();

    /** Modes of Confluent's protocol. */
    enum RegistrationMode {
        READWRITE,
        READONLY,
        /** The client chooses the id of a schema. */
        IMPORT
    }

    /** Parses the name of a mode. */
    static RegistrationMode parse(String text) {
        return Arrays.stream(RegistrationMode.values())
                .filter(each -> each.name().equals(text))
                .findFirst()
                .orElseThrow(() -> RegistryException.of(
                        RegistryErrorCode.INVALID_MODE,
                        "mode is '%s', which is none of %s"
                                .formatted(text, Arrays.toString(RegistrationMode.values()))));
    }

    /** Returns the mode of a subject, or of the registry if the subject has none. */
    RegistrationMode effective(Optional<String> subject) {
        return own(subject).or(() -> own(Optional.empty())).orElse(RegistrationMode.READWRITE);
    }

    /** Returns the mode that was set for a subject; for no subject that of the registry. */
    Optional<RegistrationMode> own(Optional<String> subject) {
        return Optional.ofNullable(modes.get(subject));
    }

    void set(Optional<String> subject, RegistrationMode mode) {
        modes.put(subject, mode);
    }

    Optional<RegistrationMode> remove(Optional<String> subject) {
        return Optional.ofNullable(modes.remove(subject));
    }

    /**
     * Checks a registration.
     *
     * @param hasId whether the client chooses the id
     * @throws RegistryException {@code NOT_PERMITTED}
     */
    void check(String subject, boolean hasId) {
        RegistrationMode mode = effective(Optional.of(subject));
        if (mode == RegistrationMode.READONLY) {
            throw RegistryException.of(
                    RegistryErrorCode.NOT_PERMITTED,
                    "subject '%s' is in read-only mode: set its mode to READWRITE".formatted(subject));
        }
        if (hasId && mode != RegistrationMode.IMPORT) {
            throw RegistryException.of(
                    RegistryErrorCode.NOT_PERMITTED,
                    "subject '%s' is not in import mode: leave the id out, or set its mode to IMPORT first"
                            .formatted(subject));
        }
    }
}
