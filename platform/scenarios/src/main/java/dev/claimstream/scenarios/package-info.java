/** Files that say what claims must get, and whether they get it. */
@NullMarked
package dev.claimstream.scenarios;

import org.jspecify.annotations.NullMarked;
