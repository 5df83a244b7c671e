package io.rocketbufs.rocketlog.cli;

import java.util.Arrays;

/** The contents of a file in which each line is a record. */
final class LinesOfFile {
    private LinesOfFile() {}

    /** Returns the number of lines, including a last line without a newline. */
    static int count(byte[] bytes) {
        int count = 1;
        for (byte each : bytes) {
            count += each == '\n' ? 1 : 0;
        }
        return count;
    }

    /** Returns the bytes after the given number of lines. */
    static byte[] after(byte[] bytes, int lines) {
        int place = 0;
        for (int i = 0; i < lines; place++) {
            i += bytes[place] == '\n' ? 1 : 0;
        }
        return Arrays.copyOfRange(bytes, place, bytes.length);
    }
}
