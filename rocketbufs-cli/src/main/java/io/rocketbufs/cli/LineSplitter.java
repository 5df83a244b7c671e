package io.rocketbufs.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * A splitter of a byte stream into lines. Each 0x0A byte ends a line; all other bytes are content. The last line need
 * not end with 0x0A. The splitter stops reading a line as soon as it detects that the line is too long.
 *
 * <p><b>Thread-safety:</b> confined to one thread.
 */
public final class LineSplitter {
    private static final byte END = '\n';

    private final InputStream in;
    private final int longest;
    private byte[] bytes;
    private boolean keepsEnds;
    private int begin;
    private int end;

    /**
     * Creates a splitter of the given stream.
     *
     * @param longest maximum length of a line in bytes, without the 0x0A. If a line is longer, the handler receives its
     *     beginning, which exceeds this length, and then no further lines
     */
    public LineSplitter(InputStream in, int initialLength, int longest) {
        this.in = in;
        this.longest = longest;
        this.bytes = new byte[initialLength];
    }

    /**
     * Passes on each line with its 0x0A, so that the lines together form the whole stream.
     *
     * @return this object
     */
    public LineSplitter keepingEnds() {
        keepsEnds = true;
        return this;
    }

    /** A handler for lines. */
    public interface LineHandler {
        /** Called for each line. The line is valid only during the call. Returns false to stop reading. */
        boolean onLine(byte[] bytes, int offset, int length);

        /**
         * Called before more data is read, which may block indefinitely. All lines that have arrived have been passed
         * to the handler.
         */
        default void onPause() {}
    }

    /**
     * Reads until the end of the stream or until the handler returns false. Passes all lines that have arrived to the
     * handler before it reads more data.
     */
    public void readAll(LineHandler handler) throws IOException {
        int searched = 0;
        while (true) {
            int lineEnd = indexOfEnd(begin + searched);
            if (lineEnd >= 0) {
                if (!handler.onLine(bytes, begin, lineEnd - begin + (keepsEnds ? 1 : 0))) {
                    return;
                }
                begin = lineEnd + 1;
                searched = 0;
            } else {
                searched = end - begin;
                if (searched > longest) {
                    break;
                }
                handler.onPause();
                if (!fill()) {
                    break;
                }
            }
        }
        if (end > begin) {
            handler.onLine(bytes, begin, end - begin);
        }
    }

    private int indexOfEnd(int from) {
        for (int i = from; i < end; i++) {
            if (bytes[i] == END) {
                return i;
            }
        }
        return -1;
    }

    private boolean fill() throws IOException {
        if (begin > 0) {
            System.arraycopy(bytes, begin, bytes, 0, end - begin);
            end -= begin;
            begin = 0;
        }
        if (end == bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.multiplyExact(2, bytes.length));
        }
        int count = in.read(bytes, end, bytes.length - end);
        end += Math.max(0, count);
        return count >= 0;
    }
}
