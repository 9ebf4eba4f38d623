package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the types and members that pages name in code spans exist in the tree. */
final class PageNamesTest {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```$|^    .*?$");
    private static final Pattern CODE = Pattern.compile("`([A-Z]\\w+)(?:\\.(\\w+))?(?:\\([^`\\n]*\\))?`");
    private static final Pattern DECLARATION = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w+)");
    private static final Pattern WORD = Pattern.compile("[A-Za-z]\\w+");
    private static final Pattern SEVERAL_WORDS = Pattern.compile("[A-Z][a-z0-9]+[A-Z]\\w*");

    /** Ends of the files that say nothing about the tree: pages, pictures, archives, and the names of others in this file. */
    private static final List<String> NOT_READ = List.of(".md", ".gotmpl", ".png", ".jar", ".gz", "PageNamesTest.java");

    /** Pages of former names and former figures. */
    private static final Set<String> HISTORIES = Set.of("RENAMED.md", "RESULTS.md");

    /** Names of other programs, which no file of the tree uses. */
    private static final Set<String> NAMES_OF_OTHERS = Set.of(
            "DirectoryConfigProvider", "IdempotentWrite", "ItemStore", "LegacyPartitioner", "PodScheduled", "PreSync");

    private static final Set<String> WORDS = new HashSet<>();

    /** The text of the files that declare a type, by its simple name. */
    private static final Map<String, String> SOURCES = new TreeMap<>();

    @BeforeAll
    static void readTree() throws IOException {
        for (Path file : RepositoryFiles.endingWith("")) {
            if (NOT_READ.stream().anyMatch(file.toString()::endsWith)) {
                continue;
            }
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            WORD.matcher(text).results().map(MatchResult::group).forEach(WORDS::add);
            if (file.toString().endsWith(".java")) {
                DECLARATION
                        .matcher(text)
                        .results()
                        .forEach(found -> SOURCES.merge(found.group(1), text, String::concat));
            }
        }
    }

    static List<Path> pages() throws IOException {
        return RepositoryFiles.endingWith(".md").stream()
                .filter(page -> !HISTORIES.contains(page.getFileName().toString()))
                .toList();
    }

    private static boolean exists(String type, Optional<String> member) {
        if (!WORDS.contains(type)) {
            return NAMES_OF_OTHERS.contains(type)
                    || !SEVERAL_WORDS.matcher(type).matches();
        }
        return member.isEmpty()
                || !SOURCES.containsKey(type)
                || Pattern.compile("\\b%s\\b".formatted(member.get()))
                        .matcher(SOURCES.get(type))
                        .find();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void namesExist(Path page) throws IOException {
        List<String> unknown = CODE.matcher(
                        BLOCK.matcher(Files.readString(page)).replaceAll(""))
                .results()
                .filter(span -> !exists(span.group(1), Optional.ofNullable(span.group(2))))
                .map(MatchResult::group)
                .toList();
        assertThat(unknown)
                .as(
                        "names in %s that the tree does not have: correct the page; a name of another program belongs to NAMES_OF_OTHERS",
                        page)
                .isEmpty();
    }
}
