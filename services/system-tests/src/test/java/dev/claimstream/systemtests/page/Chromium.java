package dev.claimstream.systemtests.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The installed Chromium, driven by Playwright. Nothing is downloaded. */
final class Chromium implements AutoCloseable {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final String MISSING =
            "NOT TRIED: the console page in a browser. Install one: apt-get install chromium";
    private static final List<String> OPTIONS = List.of(
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    private final Playwright playwright;
    private final Browser browser;

    private Chromium(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    private static Optional<Path> installed() {
        return Pattern.compile(Pattern.quote(File.pathSeparator))
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Skips the test if Chromium is missing; fails with {@code CI} in the environment. */
    static void assumeInstalled() {
        assumeTrue(isTried(), MISSING);
    }

    /** Returns whether Chromium is installed. If not, it says so, and fails with {@code CI} in the environment. */
    static boolean isTried() {
        boolean isInstalled = installed().isPresent();
        if (!isInstalled && System.getenv("CI") == null) {
            System.err.println(MISSING);
        }
        assertThat(isInstalled || System.getenv("CI") == null).as(MISSING).isTrue();
        return isInstalled;
    }

    /** Starts the browser, with more options. */
    static Chromium start(String... more) {
        var playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        var options = new BrowserType.LaunchOptions()
                .setExecutablePath(installed().orElseThrow())
                .setArgs(Stream.concat(OPTIONS.stream(), Arrays.stream(more)).toList());
        return new Chromium(playwright, playwright.chromium().launch(options));
    }

    Browser browser() {
        return browser;
    }

    @Override
    public void close() {
        Stream.<AutoCloseable>of(browser, playwright).forEach(Chromium::close);
    }

    private static void close(AutoCloseable each) {
        try {
            each.close();
        } catch (Exception e) {
            throw new IllegalStateException("the browser does not close", e);
        }
    }
}
