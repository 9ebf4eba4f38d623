/** Tests of the verification, the archive and the replay of the log. */
@NullMarked
package dev.claimstream.audit;

import org.jspecify.annotations.NullMarked;
