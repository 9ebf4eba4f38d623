package dev.claimstream.systemtests.repository;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import dev.claimstream.allocator.Allocator;
import dev.claimstream.cli.output.ProgressLine;
import dev.claimstream.cli.standalone.DecisionConsumer;
import dev.claimstream.cli.standalone.StandaloneStack;
import dev.claimstream.systemtests.repository.TypeDeclarations.TypeDeclaration;
import dev.claimstream.writer.Writer;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the rules of dependencies and names of the whole tree. This module has every other product module on its class path. */
final class HouseRulesTest {
    private static final JavaClasses PRODUCT_CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.claimstream");

    private static final String ALLOCATION = "dev.claimstream.allocation..";
    private static final String SCHEMAS = "dev.claimstream.schemas..";
    private static final String WIRE = "dev.claimstream.wire..";
    private static final String KAFKA = "dev.claimstream.kafka..";
    private static final String STREAMS = "dev.claimstream.*.streams..";
    private static final String CLI = "dev.claimstream.cli..";
    private static final String[] SERVICES = {
        "dev.claimstream.agent..",
        "dev.claimstream.allocator..",
        "dev.claimstream.watcher..",
        "dev.claimstream.writer..",
        "dev.claimstream.console..",
        "dev.claimstream.history..",
        "dev.claimstream.simulator..",
        CLI
    };

    private static final String PROCESS = "dev.claimstream.process..";

    /** The class that starts a process has this name in every service, as the launcher expects. */
    private static final Set<String> SHARED_NAMES = Set.of("Main");

    private static List<TypeDeclaration> declarations = List.of();

    @BeforeAll
    static void parseTree() throws IOException {
        declarations = TypeDeclarations.ofRepository();
    }

    static List<ArchRule> rules() {
        return Stream.of(core(), libraries(), services(), packages(), code())
                .flatMap(List::stream)
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void followsRule(ArchRule rule) {
        rule.check(PRODUCT_CLASSES);
    }

    /** A rule that applies to no class always passes. */
    @Test
    void checksEveryModule() {
        for (String module : List.of(
                "dra",
                "manifests",
                "selectors",
                "lint",
                "evictions",
                "allocation",
                "scenarios",
                "wire",
                "audit",
                "simulation",
                "s3",
                "testbed",
                "kafka",
                "kubernetes",
                "schemas",
                "observability",
                "process",
                "agent",
                "allocator",
                "watcher",
                "writer",
                "console",
                "history",
                "simulator",
                "cli")) {
            assertThat(PRODUCT_CLASSES.stream()
                            .anyMatch(each -> each.getPackageName().startsWith("dev.claimstream." + module)))
                    .as(module)
                    .isTrue();
        }
    }

    // ---- names

    /** Nested types count, and so do tests and programs beside the product. */
    @Test
    void simpleNameOfEachTypeIsUnique() {
        Map<String, List<TypeDeclaration>> byName = declarations.stream()
                .filter(each -> !each.isResultCase() && !SHARED_NAMES.contains(each.name()))
                .collect(Collectors.groupingBy(TypeDeclaration::name));
        assertThat(byName.size()).isGreaterThan(2_500);
        assertThat(byName.values().stream().filter(same -> same.size() > 1))
                .as("simple names with more than one meaning: rename all types but one")
                .isEmpty();
    }

    @Test
    void typesAreNamedByNouns() {
        assertThat(declarations.stream().filter(each -> !each.isResultCase() && !NounRule.isNoun(each.name())))
                .as("types named by a participle, adjective, verb, pronoun or question word: name the thing, or"
                        + " correct the words of NounRule")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Told",
                "Looked",
                "Asked",
                "Known",
                "Ours",
                "Next",
                "Earlier",
                "Unserved",
                "Shown",
                "Impure",
                "Waits",
                "WhatIsLeft",
                "Which",
                "SourceStale",
                "DeviceFree",
                "PublishAndRead",
                "Harmless"
            })
    void rejectsNamesThatAreNoNouns(String name) {
        assertThat(NounRule.isNoun(name)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"WatchEvent", "NextRequest", "KeptFleet", "CheckerIT", "WhoCommand", "ClaimBinding"})
    void acceptsNounsWithAnyWordBeforeThem(String name) {
        assertThat(NounRule.isNoun(name)).isTrue();
    }

    // ---- the core

    private static List<ArchRule> core() {
        return List.of(
                ArchRuleDefinition.classes()
                        .that()
                        .resideInAPackage(ALLOCATION)
                        .should()
                        .onlyDependOnClassesThat()
                        .resideInAnyPackage("dev.claimstream.dra..", ALLOCATION, "java..", "org.jspecify..")
                        .because(
                                "the core decides the same in a replay, in a test and in a cluster: pass its input as a value of"
                                        + " platform/dra, or as an interface that a service implements"),
                noClasses()
                        .that()
                        .resideInAPackage(ALLOCATION)
                        .should()
                        .dependOnClassesThat(resideInAnyPackage(
                                "java.io..",
                                "java.nio.file..",
                                "java.nio.channels..",
                                "java.net..",
                                "java.sql..",
                                "java.util.concurrent.."))
                        .because(
                                "the core does no I/O and has no threads: let its host do that, and pass the result as an observation"),
                noClasses()
                        .that()
                        .resideInAPackage(ALLOCATION)
                        .should()
                        .dependOnClassesThat()
                        .areAssignableTo(java.time.InstantSource.class)
                        .orShould()
                        .callMethod(java.time.Instant.class, "now")
                        .orShould()
                        .callMethod(System.class, "nanoTime")
                        .orShould()
                        .callMethod(System.class, "currentTimeMillis")
                        .orShould()
                        .callMethod(java.util.UUID.class, "randomUUID")
                        .because(
                                "the core has no clock and no randomness: use Input.at, and derive names from the input"),
                noClasses()
                        .that()
                        .resideInAPackage("dev.claimstream.dra..")
                        .should()
                        .dependOnClassesThat(
                                not(resideInAnyPackage("dev.claimstream.dra..", "java..", "org.jspecify..")))
                        .because(
                                "platform/dra is the domain model of all modules: put code that needs a library into the module with the"
                                        + " library"),
                noClasses()
                        .that()
                        .resideInAnyPackage("dev.claimstream.manifests..", "dev.claimstream.selectors..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(ALLOCATION, SCHEMAS, WIRE, KAFKA)
                        .because(
                                "manifests and selectors read user input and return values of platform/dra: deciding and sending belong"
                                        + " to other modules"));
    }

    // ---- libraries

    private static List<ArchRule> libraries() {
        return List.of(
                noClasses()
                        .that()
                        .resideOutsideOfPackages(WIRE, KAFKA, SCHEMAS, STREAMS)
                        .and(not(belongToAnyOf(Writer.class, DecisionConsumer.class)))
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(SCHEMAS)
                        .because(
                                "platform/wire converts records of topics to values: call it in a package named streams and pass the"
                                        + " values; Writer and cli's DecisionConsumer are consumers outside of one"),
                noClasses()
                        .that()
                        .resideInAPackage(KAFKA)
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(ALLOCATION, WIRE)
                        .because("platform/kafka transports any record: platform/wire knows the meaning of records"),
                noClasses()
                        .that()
                        .resideInAPackage(WIRE)
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(KAFKA, "org.apache.kafka..")
                        .because(
                                "platform/wire converts records to values and back: platform/kafka sends and reads them"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages(KAFKA, STREAMS)
                        .and(not(belongToAnyOf(
                                Allocator.class, Writer.class, DecisionConsumer.class, StandaloneStack.class)))
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("org.apache.kafka..")
                        .because(
                                "Kafka's classes stay in platform/kafka and in packages named streams: send with PublicTopics or Sender, or"
                                        + " extend platform/kafka. Allocator owns the life of the stream, Writer and cli's"
                                        + " DecisionConsumer are polling loops, cli's StandaloneStack makes the topics"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages(SERVICES)
                        .and()
                        .resideOutsideOfPackage(PROCESS)
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("io.micronaut..", "jakarta..")
                        .because(
                                "only processes use a framework: give the class a constructor, and let a service create it"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages(CLI)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("picocli..")
                        .because("options and arguments are read in services/cli: pass their values on"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages("dev.claimstream.s3..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("software.amazon..", "dev.claimstream.s3..")
                        .because(
                                "the client of object stores is loaded only by a process that opens one: use ArchiveStore.of"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages("dev.claimstream.manifests..", KAFKA)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("org.yaml.snakeyaml..")
                        .because(
                                "user input is read with limits and positions: use Manifests, or TreeReader for plain trees;"
                                        + " platform/kafka reads Claimstream's topics.yaml"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages("dev.claimstream.kubernetes.api..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("io.fabric8..")
                        .because(
                                "objects of an API server become values of platform/dra in one package: use ClusterWatch,"
                                        + " ClaimStatusClient, PodGates or EventRecorder"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages("dev.claimstream.selectors..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("dev.cel..")
                        .because(
                                "platform/selectors compiles and charges expressions as upstream does: use Selectors"));
    }

    // ---- services

    private static List<ArchRule> services() {
        var known = List.of(
                noClasses()
                        .that()
                        .resideOutsideOfPackages(SERVICES)
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(SERVICES)
                        .because(
                                "platform does not depend on services: accept an interface, and let the service implement it"),
                noClasses()
                        .that()
                        .resideOutsideOfPackages(CLI)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(CLI)
                        .because(
                                "the command line starts the services, and no service depends on it: offer a method, or a bean that the"
                                        + " command line can replace"));
        return Stream.concat(
                        known.stream(),
                        Arrays.stream(SERVICES)
                                .filter(each -> !each.equals(CLI))
                                .map(HouseRulesTest::independenceRule))
                .toList();
    }

    private static ArchRule independenceRule(String service) {
        String[] others =
                Arrays.stream(SERVICES).filter(each -> !each.equals(service)).toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(service)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .because("services communicate over topics: send a record, or move shared code to platform");
    }

    // ---- packages of a module

    /** Lists each package with the other packages of its module that it may use. */
    private static List<ArchRule> packages() {
        String cli = "dev.claimstream.cli";
        String cluster = "dev.claimstream.kubernetes";
        return List.of(
                packageRule(cli, ".output", "output does not depend on commands and data sources: pass values"),
                packageRule(cli, ".input", "input is read before services start: pass its dependencies", ".output"),
                packageRule(
                        cli,
                        ".folder",
                        "clients read the data folder too: code for the runner only belongs to the runner",
                        ".output",
                        ".input"),
                packageRule(
                        cli,
                        ".console",
                        "a client does not contain the server: use HTTP, or read the data folder",
                        ".output",
                        ".input",
                        ".folder"),
                packageRule(
                        cli,
                        ".standalone",
                        "the runner does not call its own console: call its components",
                        ".output",
                        ".input",
                        ".folder"),
                packageRule(
                        cli,
                        ".doctor",
                        "doctor examines a process from outside: call its console",
                        ".output",
                        ".input",
                        ".folder",
                        ".console"),
                packageRule(cluster, ".status", "a comparison needs two values, and no cluster"),
                packageRule(
                        cluster, "", "an operation does not name its implementations: pass a ClusterWatch", ".status"),
                packageRule(cluster, ".doctor", "a finding follows from facts: let ApiClusterExamination collect them"),
                packageRule(
                        cluster,
                        ".api",
                        "the client of an API server needs no other cluster: add to the interfaces what is missing",
                        "",
                        ".access",
                        ".status",
                        ".doctor"),
                packageRule(
                        cluster,
                        ".access",
                        "a rule of access needs no client of an API server: take an AccessReviewer",
                        ""),
                packageRule(
                        cluster,
                        ".miniature",
                        "the simulated cluster needs no API server and no Kafka: it stores with a ClusterStore",
                        ""),
                packageRule(
                        cluster, ".streams", "a store in Kafka serves the simulated cluster only", "", ".miniature"),
                packageRule(
                        cluster,
                        ".controlplane",
                        "tests compare Claimstream with a real control plane: start and query it without the code under test"));
    }

    private static ArchRule packageRule(String module, String name, String because, String... known) {
        String[] allowed = Stream.concat(Stream.of(name), Arrays.stream(known))
                .map(each -> module + each)
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(module + name)
                .should()
                .dependOnClassesThat(resideInAnyPackage(module + "..").and(not(resideInAnyPackage(allowed))))
                .because(because);
    }

    // ---- code style

    private static List<ArchRule> code() {
        return List.of(
                noClasses()
                        .that(not(resideInAnyPackage(SCHEMAS)))
                        .should()
                        .haveNameMatching(".*(Manager|Handler|Utils?|Helper|Impl)")
                        .because("such a name has no meaning: name the type by its content or task"),
                noClasses()
                        .should()
                        .dependOnClassesThat(equivalentTo(Random.class))
                        .because(
                                "two runs over one input have the same result: use the input, or ThreadLocalRandom for a backoff"),
                noClasses()
                        .that(not(belongToAnyOf(ProgressLine.class)))
                        .and()
                        .doNotHaveFullyQualifiedName("dev.claimstream.kafka.registry.RegistryTransport")
                        .should()
                        .callMethod(Thread.class, "sleep", long.class)
                        .orShould()
                        .callMethod(Thread.class, "sleep", java.time.Duration.class)
                        .because(
                                "a sleep misses events: wait for the event, with a timeout. cli's ProgressLine draws at"
                                        + " a rate, RegistryTransport backs off from a registry that does not respond"),
                noClasses()
                        .should()
                        .callMethod(Throwable.class, "printStackTrace")
                        .because(
                                "a stack trace lacks the context: log it with setCause, or report the error and the remedy"));
    }

    private static DescribedPredicate<JavaClass> equivalentTo(Class<?> type) {
        return JavaClass.Predicates.equivalentTo(type);
    }
}
