package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the index of the decisions lists every record once, with the number and title of its file. */
final class DecisionIndexTest {
    private static final Path FOLDER = RepositoryFiles.ROOT.resolve(Path.of("platform", "decisions"));
    private static final Pattern ROW = Pattern.compile("^\\| \\[(\\d+)]\\((\\S+)\\) \\| (.+) \\|$", Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("# (\\d+)\\. (.+)");
    private static final Pattern FILE_NAME = Pattern.compile("(\\d{4})-[a-z0-9-]+\\.md");

    /** An entry of the index, or the heading of a file. */
    private record DecisionTitle(int number, String file, String title) {}

    private static List<DecisionTitle> index() throws IOException {
        return ROW.matcher(Files.readString(FOLDER.resolve("README.md")))
                .results()
                .map(row -> new DecisionTitle(Integer.parseInt(row.group(1)), row.group(2), row.group(3)))
                .toList();
    }

    private static List<DecisionTitle> headings() throws IOException {
        List<DecisionTitle> titles = new ArrayList<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.equals("README.md")) {
                    continue;
                }
                var heading = HEADING.matcher(Files.readAllLines(file).getFirst());
                assertThat(heading.matches())
                        .as("%s begins with '# number. title'", name)
                        .isTrue();
                titles.add(new DecisionTitle(Integer.parseInt(heading.group(1)), name, heading.group(2)));
            }
        }
        return titles;
    }

    @Test
    void indexHasTheTitleOfEachFile() throws IOException {
        assertThat(index())
                .as(
                        "rows of platform/decisions/README.md: copy the number and the title from the first line of the file")
                .hasSizeGreaterThan(70)
                .containsExactlyInAnyOrderElementsOf(headings());
    }

    @Test
    void fileNamesBeginWithTheNumber() throws IOException {
        assertThat(headings()).allSatisfy(each -> {
            var name = FILE_NAME.matcher(each.file());
            assertThat(name.matches()).as(each.file()).isTrue();
            assertThat(Integer.parseInt(name.group(1))).as(each.file()).isEqualTo(each.number());
        });
    }

    @Test
    void indexIsInTheOrderOfTheNumbers() throws IOException {
        assertThat(index()).extracting(DecisionTitle::number).isSorted().doesNotHaveDuplicates();
    }
}
