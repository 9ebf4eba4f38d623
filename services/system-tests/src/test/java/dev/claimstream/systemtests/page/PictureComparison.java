package dev.claimstream.systemtests.page;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import javax.imageio.ImageIO;

/**
 * Compares a picture of a view with that in the documentation. Times, and a line more or less, may differ: pictures are compared as
 * mosaics, whose stones are the mean colours of squares.
 */
final class PictureComparison {
    private static final int STONE_PX = 24;
    private static final double HEIGHT_SHARE_MAX = 0.1;
    private static final double STONE_DIFFERENCE_MAX = 16;
    private static final double STONES_SHARE_MAX = 0.12;

    private PictureComparison() {}

    /** Returns why the documented picture does not show the view; empty if it does. */
    static Optional<String> difference(Path documented, Path taken) throws IOException {
        BufferedImage old = ImageIO.read(documented.toFile());
        BufferedImage now = ImageIO.read(taken.toFile());
        if (old.getWidth() != now.getWidth()
                || Math.abs(old.getHeight() - now.getHeight()) > HEIGHT_SHARE_MAX * now.getHeight()) {
            return Optional.of("it has %dx%d pixels, the view %dx%d"
                    .formatted(old.getWidth(), old.getHeight(), now.getWidth(), now.getHeight()));
        }
        int stones = 0;
        int different = 0;
        for (int y = 0; y + STONE_PX <= Math.min(old.getHeight(), now.getHeight()); y += STONE_PX) {
            for (int x = 0; x + STONE_PX <= now.getWidth(); x += STONE_PX) {
                stones++;
                if (Math.abs(brightness(old, x, y) - brightness(now, x, y)) > STONE_DIFFERENCE_MAX) {
                    different++;
                }
            }
        }
        return different > STONES_SHARE_MAX * stones
                ? Optional.of("%d of %d squares of %d pixels differ".formatted(different, stones, STONE_PX))
                : Optional.empty();
    }

    private static double brightness(BufferedImage image, int left, int top) {
        long sum = 0;
        for (int y = top; y < top + STONE_PX; y++) {
            for (int x = left; x < left + STONE_PX; x++) {
                int rgb = image.getRGB(x, y);
                sum += (rgb >> 16 & 0xff) + (rgb >> 8 & 0xff) + (rgb & 0xff);
            }
        }
        return sum / 3.0 / (STONE_PX * STONE_PX);
    }
}
