/** Archives in S3-compatible object stores. */
@NullMarked
package dev.claimstream.s3;

import org.jspecify.annotations.NullMarked;
