package dev.claimstream.dra;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reference to opaque parameters that are not recorded; the object in the cluster has them (ADR 88).
 *
 * <p>In an {@link OpaqueConfig} it takes the place of the parameters, as a JSON string. Parameters of Kubernetes are always
 * JSON objects, so a reference is never taken for parameters, and an API server rejects it.
 */
public sealed interface ConfigReference {
    /** An entry of {@code spec.devices.config} of the claim that has the reference, or that is allocated with it. */
    record ClaimConfigEntry(int index) implements ConfigReference {}

    /**
     * An entry of {@code spec.config} of a device class.
     *
     * @param version {@code resourceVersion} of the class
     */
    record ClassConfigEntry(String name, long version, int index) implements ConfigReference {}

    /** An entry of {@code status.allocation.devices.config} of the claim that has the reference. */
    record StatusConfigEntry(int index) implements ConfigReference {}

    /** Returns the configuration with this reference in the place of its parameters. */
    default OpaqueConfig replaceParameters(OpaqueConfig config) {
        String text = switch (this) {
            case ClaimConfigEntry(int index) -> "spec.devices.config[%d]".formatted(index);
            case ClassConfigEntry(String name, long version, int index) ->
                "spec.config[%d] of DeviceClass %s, resourceVersion %d".formatted(index, name, version);
            case StatusConfigEntry(int index) -> "status.allocation.devices.config[%d]".formatted(index);
        };
        return new OpaqueConfig(config.driver(), "\"%s%s\"".formatted(ReferenceSyntax.PREFIX, text));
    }

    /** Returns the reference in the place of parameters; empty if the configuration has parameters. */
    static Optional<ConfigReference> of(OpaqueConfig config) {
        Matcher text = ReferenceSyntax.PATTERN.matcher(config.parameters());
        if (!text.matches()) {
            return Optional.empty();
        }
        int index = Integer.parseInt(text.group("index"));
        if (text.group("name") != null) {
            return Optional.of(new ClassConfigEntry(text.group("name"), Long.parseLong(text.group("version")), index));
        }
        return Optional.of(
                text.group("list").equals("spec.devices.config")
                        ? new ClaimConfigEntry(index)
                        : new StatusConfigEntry(index));
    }

    /** The text of references. */
    final class ReferenceSyntax {
        private static final String PREFIX = "claimstream.dev/not-recorded: ";
        private static final Pattern PATTERN = Pattern.compile("\"" + Pattern.quote(PREFIX)
                + "(?<list>spec\\.devices\\.config|spec\\.config|status\\.allocation\\.devices\\.config)"
                + "\\[(?<index>[0-9]{1,6})]"
                + "(?: of DeviceClass (?<name>[^\\s,\"]+), resourceVersion (?<version>[0-9]{1,18}))?\"");

        private ReferenceSyntax() {}
    }
}
