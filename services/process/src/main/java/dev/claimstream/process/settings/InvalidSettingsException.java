package dev.claimstream.process.settings;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The settings of a process are invalid; each problem is one line with setting, place, value and remedy. */
public final class InvalidSettingsException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    public InvalidSettingsException(List<String> problems) {
        super(String.join("; ", problems));
        this.problems = List.copyOf(problems);
    }

    /** The exception of invalid settings in a chain of causes. Dependency injection wraps the exceptions of factories. */
    public static Optional<InvalidSettingsException> in(Throwable thrown) {
        return Stream.iterate(Optional.of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .filter(InvalidSettingsException.class::isInstance)
                .map(InvalidSettingsException.class::cast)
                .findFirst();
    }

    /** The problems, one line each. */
    public List<String> problems() {
        return problems;
    }
}
