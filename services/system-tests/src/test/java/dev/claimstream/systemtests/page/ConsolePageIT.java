package dev.claimstream.systemtests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the console page in a real browser, beside {@code up} with the mixed example. The test that stops {@code up} is the last one.
 * It writes a picture of each view to {@code target/page}.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsolePageIT {
    private static final String READY = "Ctrl-C ends it";
    private static final Path PICTURES = Path.of("target", "page");
    private static final double PATIENCE_MS = Duration.ofSeconds(30).toMillis();

    /** Views and a text that each of them shows. */
    private static final Map<String, String> VIEWS = new TreeMap<>(Map.of(
            "#/", "Namespaces, most devices first",
            "#/cluster", "gpu-h100-1",
            "#/cluster?group=product", "NVIDIA H100",
            "#/claims", "llama-pretrain",
            "#/claim/research/too-big", "16 gpu.nvidia.com on one node, the largest has 8 in all",
            "#/claim/training/llama-pretrain", "gpu-h100-2/gpu-7",
            "#/queue", "InsufficientDevicesPerNode",
            "#/device/gpu.nvidia.com/gpu-h100-2/gpu-0", "NVIDIA H100 80GB HBM3",
            "#/node/gpu-h100-2", "training/llama-pretrain",
            "#/search?q=h100-2", "gpu-h100-2"));

    private Path folder = Path.of("");
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private String axe = "";
    private Chromium chromium;
    private Program up;
    private URI console;

    @BeforeAll
    void start(@TempDir Path temporary) throws IOException, InterruptedException {
        folder = temporary;
        Chromium.assumeInstalled();
        up = Program.start(folder, "up", "--data", data(), "-f", CommandResult.example("mixed-accelerators"));
        chromium = Chromium.start();
        axe = resource("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js");
        up.awaitOut(READY);
        console =
                Endpoint.of(Files.readString(Path.of(data(), "endpoint.json"))).console();
        Files.createDirectories(PICTURES);
    }

    @AfterAll
    void stop() {
        if (chromium != null) {
            chromium.close();
        }
        if (up != null) {
            up.close();
        }
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = ConsolePageIT.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Opens a window that notes its requests, and errors of scripts and of the security policy. */
    private BrowserContext window(int width, ColorScheme scheme) {
        BrowserContext context = chromium.browser()
                .newContext(new Browser.NewContextOptions()
                        .setViewportSize(width, 900)
                        .setColorScheme(scheme));
        context.setDefaultTimeout(PATIENCE_MS);
        context.onRequest(request -> requests.add(request.url()));
        return context;
    }

    private Page open(BrowserContext context, String view) {
        Page page = context.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) {
                complaints.add(message.text());
            }
        });
        page.onPageError(complaints::add);
        page.navigate(console + "/" + view);
        return page;
    }

    private static void awaitText(Page page, String text) {
        assertThat(page.locator("main"))
                .containsText(text, new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE_MS));
    }

    @Order(1)
    @ParameterizedTest
    @CsvSource({"1440, LIGHT", "1440, DARK", "390, LIGHT", "390, DARK"})
    void showsEveryViewWithoutOverflowAndBarriers(int width, ColorScheme scheme) {
        try (BrowserContext context = window(width, scheme)) {
            Page page = open(context, "#/");
            page.evaluate(axe);
            for (Map.Entry<String, String> view : VIEWS.entrySet()) {
                page.evaluate("hash => { location.hash = hash }", view.getKey());
                awaitText(page, view.getValue());
                assertThat(page.locator("main")).not().containsText("Loading…");
                assertThat(page.evaluate("document.documentElement.scrollWidth"))
                        .as("width of " + view.getKey())
                        .isEqualTo(width);
                assertThat((List<?>) page.evaluate("async () => (await axe.run()).violations.map(({id, nodes}) =>"
                                + " `${id}: ${nodes.map(({html}) => html).join(' ')}`)"))
                        .as("violations of " + view.getKey())
                        .isEmpty();
                page.screenshot(new Page.ScreenshotOptions()
                        .setPath(PICTURES.resolve(fileName(view.getKey(), width, scheme)))
                        .setFullPage(true));
            }
        }
        assertThat(requests)
                .isNotEmpty()
                .allMatch(url -> url.startsWith(console.toString() + "/"), "a request to the console");
        assertThat(complaints).isEmpty();
    }

    private static String fileName(String view, int width, ColorScheme scheme) {
        String name = view.replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        return "%s-%d-%s.png"
                .formatted(
                        name.isEmpty() ? "overview" : name, width, scheme.name().toLowerCase(Locale.ROOT));
    }

    @Order(2)
    @Test
    void answersQuestionsOfFirstMinute() {
        try (BrowserContext context = window(1440, ColorScheme.LIGHT)) {
            Page page = open(context, "#/");
            Locator first =
                    page.locator("table[aria-label=Namespaces] tbody tr").first();
            assertThat(first).containsText("training");
            page.getByText("research/too-big").first().click();
            awaitText(page, "16 gpu.nvidia.com on one node, the largest has 8 in all");
            assertThat(page.locator(".funnel li.lost")).hasCount(1);
            page.keyboard().press("/");
            page.keyboard().type("gpu-h100-2");
            page.getByRole(AriaRole.LINK).getByText("gpu-h100-2").first().click();
            awaitText(page, "training/llama-pretrain");
        }
    }

    @Order(3)
    @Test
    void showsAppliedClaimWithoutReload() throws IOException {
        Path file = Files.writeString(folder.resolve("claim.yaml"), """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: applied-later, namespace: research}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}
                """);
        try (BrowserContext context = window(1440, ColorScheme.DARK)) {
            Page page = open(context, "#/claims?namespace=research");
            awaitText(page, "too-big");
            CommandResult applied = CommandResult.run("apply", "-f", file.toString(), "--data", data());
            assertThat(applied.exitCode()).as(applied.err() + applied.out()).isZero();
            awaitText(page, "applied-later");
            assertThat(CommandResult.run("delete", "resourceclaim", "applied-later", "-n", "research", "--data", data())
                            .exitCode())
                    .isZero();
            assertThat(page.locator("main")).not().containsText("applied-later");
        }
    }

    @Order(4)
    @Test
    void showsLossOfConsoleAndRecovers() throws IOException, InterruptedException {
        try (BrowserContext context = window(1440, ColorScheme.LIGHT)) {
            Page page = open(context, "#/claims");
            awaitText(page, "too-big");
            up.kill();
            up.awaitEnd();
            Locator stale = page.locator("#stale");
            assertThat(stale).containsText("Stale since");
            awaitText(page, "too-big");
            up = Program.start(folder, "up", "--data", data(), "--port", Integer.toString(console.getPort()));
            up.awaitOut(READY);
            assertThat(stale).isHidden(new LocatorAssertions.IsHiddenOptions().setTimeout(PATIENCE_MS));
            awaitText(page, "too-big");
        }
    }
}
