package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.manifests.source.SourceDocument;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that {@code --fix} deletes no key and no value, and turns none into a comment, whatever an author adds to a mistake. */
class KeptInputTest {
    private static final Pattern DOCUMENT_START = Pattern.compile("(?m)^---.*\n");

    private static final Pattern EXAMPLE = Pattern.compile("(?s)```yaml\n(.*?)```");
    private static final List<String> MISTAKES = mistakes();
    private static final List<String> FIELDS = List.of(
            "tolerations: [{key: %s, operator: Exists}]",
            "count: 4  # %s",
            "selectors: [{cel: {expression: '%s'}}]",
            "constraints: [{matchAttribute: %s}]",
            "config: [{opaque: {driver: %s}}]",
            "parameters: {%s: 1}",
            "parametersRef: {name: %s}",
            "allocationMode: %s",
            "suitableNodes: {%s: true}",
            "taint: {key: %s}",
            "driver: %s",
            "key: %s",
            "labels: {a: %s}",
            "%s: added",
            "source: {%s: x}",
            "basic: {%s: x}",
            "quantity: %s",
            "# %s");

    private static List<String> mistakes() {
        try (Stream<Path> folders = Files.list(Path.of("src", "test", "mistakes"))) {
            List<String> texts = new ArrayList<>(EXAMPLE.matcher(Files.readString(Path.of("README.md")))
                    .results()
                    .map(found -> found.group(1))
                    .toList());
            for (Path folder : folders.sorted().toList()) {
                texts.add(Files.readString(folder.resolve("wrong.yaml")));
            }
            return List.copyOf(texts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static LongStream seeds() {
        return LongStream.range(0, 600);
    }

    /** Returns a mistake with one to three more fields, each with a word of its own. */
    private static String extended(Random random, List<String> words) {
        List<String> lines = new ArrayList<>(
                MISTAKES.get(random.nextInt(MISTAKES.size())).lines().toList());
        for (int i = random.nextInt(3); i >= 0; i--) {
            int at = random.nextInt(lines.size());
            String word = "mine" + random.nextInt(1_000, 10_000);
            words.add(word);
            String before = lines.get(at);
            int indent = before.length() - before.replaceFirst("^[ -]*", "").length();
            lines.add(
                    at + 1,
                    " ".repeat(indent)
                            + FIELDS.get(random.nextInt(FIELDS.size())).formatted(word));
        }
        return String.join("\n", lines) + "\n";
    }

    /** Returns the keys and values of a text, without comments. */
    private static Set<String> scalars(String text) {
        Set<String> scalars = new HashSet<>();
        SourceText.of("f.yaml", text).documents().stream()
                .map(SourceDocument::root)
                .forEach(root -> collect(root, scalars));
        return scalars;
    }

    private static void collect(SourceNode node, Set<String> scalars) {
        switch (node) {
            case SourceNode.SourceScalar scalar -> scalars.add(scalar.text());
            case SourceNode.SourceSequence list -> list.items().forEach(item -> collect(item, scalars));
            case SourceNode.SourceMapping mapping ->
                mapping.entries().forEach(entry -> {
                    collect(entry.key(), scalars);
                    collect(entry.value(), scalars);
                });
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsKeysValuesAndComments(long seed) {
        List<String> words = new ArrayList<>();
        String text = extended(new Random(seed), words);
        String fixed = LintFixer.fix("f.yaml", text).text();
        assertKept(seed, words, text, fixed);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void losesOnlyNamesOfOldForms(long seed) {
        String text = extended(new Random(seed), new ArrayList<>());
        Set<String> lost = new HashSet<>(words(scalars(text)));
        lost.removeAll(words(scalars(LintFixer.fix("f.yaml", text).text())));
        lost.removeAll(Set.of(
                "v1alpha1",
                "v1alpha2",
                "v1alpha3",
                "v1beta1",
                "v1beta2",
                "resourceclass",
                "drivername",
                "anyof",
                "true",
                "resourceclassname",
                "parameters",
                "structuredparameters",
                "generatedfrom",
                "basic",
                "source",
                "quantity",
                "constraints",
                "config",
                "requests",
                "exactly",
                "attributes",
                "stringvalue",
                "string",
                "spec"));
        assertThat(lost).as("seed %d: %s", seed, text).isEmpty();
    }

    private static Set<String> words(Set<String> scalars) {
        Set<String> words = new HashSet<>();
        scalars.forEach(scalar ->
                words.addAll(List.of(scalar.toLowerCase(java.util.Locale.ROOT).split("[^a-z0-9_]+"))));
        return words;
    }

    /** Returns a list of two mistakes; mistakes of several documents become several items. */
    private static String listOf(String... texts) {
        StringBuilder list = new StringBuilder("apiVersion: v1\nkind: List\nitems:\n");
        for (String text : texts) {
            for (String document : DOCUMENT_START.splitAsStream(text).toList()) {
                boolean isObject = document.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("#"));
                if (isObject) {
                    list.append("-\n").append(document.indent(2));
                }
            }
        }
        return list.toString().replaceAll("(?m)^-\n(( *#.*\n)*) {2}(?=\\S)", "$1- ");
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsInputOfLists(long seed) {
        List<String> words = new ArrayList<>();
        Random random = new Random(seed);
        String text = listOf(extended(random, words), extended(random, words));
        String fixed = LintFixer.fix("f.yaml", text).text();
        assertKept(seed, words, text, fixed);
    }

    @Test
    void keepsFieldThatTheTargetHasAlready() {
        String text = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: a}
                spec:
                  devices:
                    requests:
                    - name: gpu
                      exactly: {deviceClassName: gpu, count: 1}
                      count: 2
                """;
        assertThat(LintFixer.fix("f.yaml", text).text()).isEqualTo(text);
    }

    /** Asserts that each word is in the corrected text, and is a key or value there if it was one before. */
    private static void assertKept(long seed, List<String> words, String text, String fixed) {
        Set<String> before = scalars(text);
        Set<String> after = scalars(fixed);
        for (String word : words) {
            assertThat(fixed).as("seed %d: %s", seed, text).contains(word);
            boolean isValue = before.stream().anyMatch(scalar -> scalar.contains(word));
            assertThat(after.stream().anyMatch(scalar -> scalar.contains(word)))
                    .as("seed %d: %s is a key or value of%n%s", seed, word, text)
                    .isEqualTo(isValue);
        }
    }
}
