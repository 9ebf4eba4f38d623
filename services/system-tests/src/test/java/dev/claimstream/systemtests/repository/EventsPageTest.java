package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.kubernetes.EventTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that one page documents exactly the constant fields of the Events. */
final class EventsPageTest {
    private static final Path PAGE = Path.of("..", "writer", "README.md");
    private static final String HEAD = "| `reason` | `action` | `reportingController` | `type` |";
    private static final String PENDING_REASONS = "code in [REASONS](../../platform/allocation/REASONS.md)";

    @Test
    void pageListsFieldsOfEveryEventInOrder() throws IOException {
        List<String> rows = Files.readAllLines(PAGE).stream()
                .dropWhile(line -> !line.equals(HEAD))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .toList();
        assertThat(rows)
                .as("rows below \"%s\" in services/writer/README.md: list the fields of EventTemplate", HEAD)
                .containsExactlyElementsOf(Arrays.stream(EventTemplate.values())
                        .map(EventsPageTest::row)
                        .toList());
    }

    /** A pending reason with the code of another Event would get the action of that Event. */
    @Test
    void everyPendingReasonHasTemplateOfPendingItems() {
        assertThat(Reason.values())
                .allSatisfy(
                        reason -> assertThat(EventTemplate.of(reason.name())).isEqualTo(EventTemplate.PENDING));
    }

    private static String row(EventTemplate template) {
        String reason = template.reason().isEmpty() ? PENDING_REASONS : "`%s`".formatted(template.reason());
        return "| %s | `%s` | `%s` | `%s` |"
                .formatted(reason, template.action(), EventTemplate.REPORTING_CONTROLLER, EventTemplate.TYPE);
    }
}
