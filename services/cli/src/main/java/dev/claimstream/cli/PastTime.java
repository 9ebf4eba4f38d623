package dev.claimstream.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A time of the past: with its zone, in the local zone, or as a duration before now. */
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
            TemporalAccessor time =
                    DateTimeFormatter.ISO_DATE_TIME.parseBest(text, OffsetDateTime::from, LocalDateTime::from);
            return time instanceof OffsetDateTime zoned
                    ? zoned.toInstant()
                    : LocalDateTime.from(time).atZone(ZoneId.systemDefault()).toInstant();
        } catch (DateTimeException e) {
            throw new ParameterException(
                    command,
                    "%s %s: use a time like 2026-03-01T12:00:00Z, or a duration before now like 24h"
                            .formatted(option, text),
                    e);
        }
    }
}
