package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that one page documents exactly the reason codes. */
final class ReasonsPageTest {
    private static final Path PAGE = Path.of("..", "..", "platform", "allocation", "REASONS.md");
    private static final Pattern CODE = Pattern.compile("^\\| `(\\w+)` \\|", Pattern.MULTILINE);

    @Test
    void pageListsEveryReasonCodeInOrder() throws IOException {
        List<String> codes = CODE.matcher(Files.readString(PAGE))
                .results()
                .map(MatchResult::group)
                .map(cell -> cell.replaceAll("\\W", ""))
                .toList();
        assertThat(codes)
                .as("codes in platform/allocation/REASONS.md: add what is missing with its meaning and remedy")
                .containsExactlyElementsOf(
                        Arrays.stream(Reason.values()).map(Enum::name).toList());
    }
}
