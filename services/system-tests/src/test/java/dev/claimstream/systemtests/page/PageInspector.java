package dev.claimstream.systemtests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
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

/** Windows of the console page. It notes their requests, and errors of scripts and of the security policy. */
final class PageInspector {
    /** Time in which a page must show something. */
    static final double PATIENCE_MS = Duration.ofSeconds(30).toMillis();

    private static final int HEIGHT = 900;
    private static final double HEIGHT_MAX = 3000;
    private static final int GROUPS_CHECKED = 20;

    /** The rules of axe whose result depends on colours. */
    private static final List<String> COLOUR_RULES = List.of("color-contrast", "link-in-text-block");

    /** Texts of badges that are wider than their table cell. */
    private static final String CUT_BADGES = """
            () => [...document.querySelectorAll('td .badge')]
              .filter((badge) => badge.getBoundingClientRect().right > badge.closest('td').getBoundingClientRect().right)
              .map((badge) => badge.textContent)""";

    private static final String AXE = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";

    private final Browser browser;
    private final URI console;
    private final Path pictures;
    private final String axe;
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());

    /**
     * Creates an inspector.
     *
     * @param pictures folder for pictures of the views
     */
    PageInspector(Chromium chromium, URI console, Path pictures) throws IOException {
        browser = chromium.browser();
        this.console = console;
        this.pictures = Files.createDirectories(pictures);
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
        try (InputStream in = PageInspector.class.getResourceAsStream(AXE)) {
            assertThat(in).as(AXE).isNotNull();
            axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    BrowserContext window(int width, ColorScheme scheme) {
        return window(
                new Browser.NewContextOptions().setViewportSize(width, HEIGHT).setColorScheme(scheme));
    }

    /** Opens a window of a viewer in a time zone. */
    BrowserContext windowIn(String zone, String locale) {
        return window(new Browser.NewContextOptions().setTimezoneId(zone).setLocale(locale));
    }

    private BrowserContext window(Browser.NewContextOptions options) {
        BrowserContext context = browser.newContext(options);
        context.setDefaultTimeout(PATIENCE_MS);
        context.onRequest(request -> requests.add(request.url()));
        return context;
    }

    Page open(BrowserContext context, String view) {
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

    static void awaitText(Page page, String text) {
        assertThat(page.locator("main")).containsText(text);
    }

    /** Shows a view in an open page, with all of its figures. */
    static void show(Page page, String view, String text) {
        page.evaluate("hash => { location.hash = hash }", view);
        awaitText(page, text);
        assertThat(page.locator("main")).not().containsText("Loading…");
        assertThat(page.locator("main").getByText("loading", new Locator.GetByTextOptions().setExact(true)))
                .hasCount(0);
    }

    /** Checks that a view fits into the window and badges into their cells, and takes its picture. */
    void inspect(Page page, String view, int width, ColorScheme scheme) {
        assertThat(page.evaluate("document.documentElement.scrollWidth"))
                .as("width of " + view)
                .isEqualTo(width);
        assertThat(page.evaluate(CUT_BADGES)).as("cut badges of " + view).isEqualTo(List.of());
        takePicture(page, view, width, scheme);
    }

    /** Takes the picture of the whole view, up to a height. A busy browser has to make a frame of the view first. */
    private void takePicture(Page page, String view, int width, ColorScheme scheme) {
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        double height =
                Math.min(HEIGHT_MAX, ((Number) page.evaluate("document.documentElement.scrollHeight")).doubleValue());
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(pictures.resolve(fileName(view, width, scheme)))
                .setFullPage(true)
                .setClip(0, 0, width, height));
    }

    /** Gives an open page another width and colour scheme. */
    void resize(Page page, int width, ColorScheme scheme) {
        page.setViewportSize(width, HEIGHT);
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
    }

    /** Checks that axe finds no barrier in the present view. Of a long list of groups it checks the first ones, because axe is slow with thousands of cells. */
    void checkBarriers(Page page, String view) {
        checkBarriers(page, view, List.of());
    }

    /** Checks only the barriers that depend on colours, of a view that was checked in another colour scheme. */
    void checkColours(Page page, String view) {
        checkBarriers(page, view, COLOUR_RULES);
    }

    /** @param rules rules of axe; empty for all */
    private void checkBarriers(Page page, String view, List<String> rules) {
        if (page.evaluate("typeof axe").equals("undefined")) {
            page.evaluate(axe);
        }
        Object violations = page.evaluate(
                "async ([groups, rules]) => (await axe.run({exclude: [`.group:nth-child(n+${groups + 1})`]},"
                        + " rules.length ? {runOnly: {type: 'rule', values: rules}} : {})).violations.map(({id, nodes}) =>"
                        + " `${id}: ${nodes.map(({html}) => html).join(' ')}`)",
                List.of(GROUPS_CHECKED, rules));
        assertThat((List<?>) violations).as("violations of " + view).isEmpty();
    }

    /** Checks that nothing left the host, and that the browser has reported no error. */
    void checkRequests() {
        assertThat(requests)
                .isNotEmpty()
                .allMatch(url -> url.startsWith(console.toString() + "/"), "a request to the console");
        assertThat(complaints).isEmpty();
    }

    /** Returns the addresses that the windows have asked. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    static String fileName(String view, int width, ColorScheme scheme) {
        String name = view.replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        return "%s-%d-%s.png"
                .formatted(
                        name.isEmpty() ? "overview" : name, width, scheme.name().toLowerCase(Locale.ROOT));
    }
}
