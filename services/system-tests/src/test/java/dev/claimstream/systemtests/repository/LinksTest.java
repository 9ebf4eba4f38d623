package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every link in a page of this repository leads to an existing file and heading. */
final class LinksTest {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```$|^    .*?$|`[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("\\]\\((?![a-z]+:)([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    /**
     * A link in a page.
     *
     * @param target as written in the page
     */
    record Link(Path page, String target) {
        Path file() {
            String path = target.replaceFirst("#.*", "");
            return path.isEmpty() ? page : page.resolveSibling(path).normalize();
        }

        /** Returns the heading of the target; empty if the target is a file. */
        String heading() {
            return target.contains("#") ? target.substring(target.indexOf('#') + 1) : "";
        }

        boolean hasTarget() {
            return Files.exists(file())
                    && (heading().isEmpty() || headings(file()).contains(heading()));
        }
    }

    static List<Path> pages() throws IOException {
        return RepositoryFiles.endingWith(".md");
    }

    private static Stream<Link> links(Path page) {
        return LINK.matcher(BLOCK.matcher(text(page)).replaceAll("``"))
                .results()
                .map(found -> new Link(page, found.group(1)));
    }

    /** Returns the anchors of the headings: lower case, hyphens instead of blanks, no other characters. */
    private static Set<String> headings(Path page) {
        return HEADING.matcher(text(page))
                .results()
                .map(found -> found.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w\\- ]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void findsPagesWithLinks() throws IOException {
        assertThat(pages().stream().flatMap(LinksTest::links)).hasSizeGreaterThan(200);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkHasTarget(Path page) {
        assertThat(links(page)).allMatch(Link::hasTarget);
    }
}
