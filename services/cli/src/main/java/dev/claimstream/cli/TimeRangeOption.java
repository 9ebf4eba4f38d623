package dev.claimstream.cli;

import dev.claimstream.audit.LogVerifier.TimeRange;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that select a part of the log by time. */
final class TimeRangeOption {
    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Begin at this time, for example 2026-03-01T12:00:00Z. Default: the beginning of the log.")
    private Optional<String> from = Optional.empty();

    @Option(names = "--to", paramLabel = "TIME", description = "End at this time. Default: the end of the log.")
    private Optional<String> to = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the spec before it runs anything
    private TimeRangeOption() {}

    TimeRange range() {
        Optional<Instant> begin = from.map(text -> instant("--from", text));
        Optional<Instant> end = to.map(text -> instant("--to", text));
        if (begin.isPresent() && end.isPresent() && begin.get().isAfter(end.get())) {
            throw new ParameterException(
                    spec.commandLine(), "--from %s is after --to %s: exchange them".formatted(begin.get(), end.get()));
        }
        return new TimeRange(begin, end);
    }

    private Instant instant(String option, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new ParameterException(
                    spec.commandLine(), "%s %s: use a time like 2026-03-01T12:00:00Z".formatted(option, text), e);
        }
    }
}
