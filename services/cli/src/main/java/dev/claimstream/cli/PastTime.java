package dev.claimstream.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A time of the past: with its zone, in the local zone, or as a duration before now. */
final class PastTime {
    private static final Pattern AGO = Pattern.compile("([0-9]{1,9})([smhd])");

    private PastTime() {}

    static Optional<Instant> of(CommandLine command, String option, Optional<String> text) {
        return text.map(each -> parse(command, option, each, ZoneId.systemDefault()));
    }

    /** @param zone of a text without one */
    static Instant parse(CommandLine command, String option, String text, ZoneId zone) {
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
                    : local(command, option, LocalDateTime.from(time), zone);
        } catch (DateTimeException e) {
            throw new ParameterException(
                    command,
                    "%s %s: use a time like 2026-03-01T12:00:00Z, or a duration before now like 24h"
                            .formatted(option, text),
                    e);
        }
    }

    /** A clock that is set back has each time of an hour twice, and one that is set forward has none of them. */
    private static Instant local(CommandLine command, String option, LocalDateTime time, ZoneId zone) {
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(time);
        if (offsets.size() == 1) {
            return time.toInstant(offsets.getFirst());
        }
        throw new ParameterException(
                command,
                offsets.isEmpty()
                        ? "%s %s: the clocks of %s were set forward past this time: add an offset, for example %sZ"
                                .formatted(option, time, zone, time)
                        : "%s %s: the clocks of %s showed this time twice: add the offset, %s"
                                .formatted(
                                        option,
                                        time,
                                        zone,
                                        offsets.stream()
                                                .map(offset -> "" + time + offset)
                                                .collect(Collectors.joining(" or "))));
    }
}
