package dev.claimstream.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A time of the past: with its zone, or as a duration before now. */
final class PastTime {
    private static final Pattern AGO = Pattern.compile("([0-9]{1,9})([smhd])");

    private PastTime() {}

    static Optional<Instant> of(CommandLine command, String option, Optional<String> text) {
        return text.map(each -> parse(command, option, each));
    }

    private static Instant parse(CommandLine command, String option, String text) {
        var ago = AGO.matcher(text);
        if (ago.matches()) {
            long number = Long.parseLong(ago.group(1));
            return Instant.now()
                    .minus(
                            switch (ago.group(2)) {
                                case "s" -> Duration.ofSeconds(number);
                                case "m" -> Duration.ofMinutes(number);
                                case "h" -> Duration.ofHours(number);
                                default -> Duration.ofDays(number);
                            });
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new ParameterException(
                    command,
                    "%s %s: use a time with its zone like 2026-03-01T12:00:00Z, or a duration before now like 24h"
                            .formatted(option, text),
                    e);
        }
    }
}
