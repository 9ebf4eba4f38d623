package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

final class PastTimeTest {
    private final CommandLine command = new CommandLine(CommandSpec.create());

    private Instant parse(String text) {
        return PastTime.of(command, "--at", Optional.of(text)).orElseThrow();
    }

    @Test
    void readsTimesWithAndWithoutZone() {
        assertThat(parse("2026-03-01T12:00:00Z")).isEqualTo("2026-03-01T12:00:00Z");
        assertThat(parse("2026-03-01T12:00:00.5+02:00")).isEqualTo("2026-03-01T10:00:00.5Z");
        assertThat(parse("2026-03-01T12:00"))
                .isEqualTo(LocalDateTime.parse("2026-03-01T12:00")
                        .atZone(ZoneId.systemDefault())
                        .toInstant());
        assertThat(PastTime.of(command, "--at", Optional.empty())).isEmpty();
    }

    @Test
    void readsDurationsBeforeNow() {
        assertThat(parse("90m"))
                .isCloseTo(Instant.now().minus(Duration.ofMinutes(90)), Assertions.within(1, ChronoUnit.MINUTES));
        assertThat(parse("999999999d")).isBefore(Instant.EPOCH);
    }

    @Test
    void namesLocalTimesThatClocksShowTwiceOrNever() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        assertThat(PastTime.parse(command, "--at", "2026-10-25T01:59:59", berlin))
                .isEqualTo("2026-10-24T23:59:59Z");
        assertThat(PastTime.parse(command, "--at", "2026-10-25T03:00:00", berlin))
                .isEqualTo("2026-10-25T02:00:00Z");
        assertThat(PastTime.parse(command, "--at", "2026-03-29T03:00:00", berlin))
                .isEqualTo("2026-03-29T01:00:00Z");
        assertThatThrownBy(() -> PastTime.parse(command, "--at", "2026-10-25T02:30:00", berlin))
                .isInstanceOf(ParameterException.class)
                .hasMessage("--at 2026-10-25T02:30: the clocks of Europe/Berlin showed this time twice: add the offset,"
                        + " 2026-10-25T02:30+02:00 or 2026-10-25T02:30+01:00");
        assertThatThrownBy(() -> PastTime.parse(command, "--since", "2026-03-29T02:30:00", berlin))
                .isInstanceOf(ParameterException.class)
                .hasMessage("--since 2026-03-29T02:30: the clocks of Europe/Berlin were set forward past this time: add"
                        + " an offset, for example 2026-03-29T02:30Z");
        assertThat(PastTime.parse(command, "--at", "2026-10-25T02:30+01:00", berlin))
                .isEqualTo("2026-10-25T01:30:00Z");
    }

    @Test
    void rejectsOtherTexts() {
        for (String text : new String[] {"yesterday", "24", "2026-03-01", "-2h", ""}) {
            assertThatThrownBy(() -> parse(text))
                    .isInstanceOf(ParameterException.class)
                    .hasMessageContaining(
                            "--at %s: use a time like 2026-03-01T12:00:00Z, or a duration".formatted(text));
        }
    }
}
