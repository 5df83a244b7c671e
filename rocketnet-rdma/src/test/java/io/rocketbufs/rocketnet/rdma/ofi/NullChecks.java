package io.rocketbufs.rocketnet.rdma.ofi;

import com.kenai.jffi.Library;

/**
 * A program that loads libfabric and then causes null checks in compiled code to fail. HotSpot handles such failures
 * through SIGSEGV.
 */
final class NullChecks {
    private static final int FAILURES = 50;
    private static final int CALLS = 20_000;

    private NullChecks() {}

    private static final class Cell {
        private int value;
    }

    /**
     * Runs the program. With the argument "bare", it loads the library without the environment variables that
     * {@link Ofi#load} sets.
     */
    public static void main(String[] arguments) {
        if (arguments.length > 0 && arguments[0].equals("bare")) {
            if (Library.openLibrary("libfabric.so.1", Library.NOW | Library.LOCAL) == null) {
                System.out.println("not loaded");
                return;
            }
        } else {
            Ofi.load("libfabric.so.1");
        }
        int caught = 0;
        for (int round = 0; round < FAILURES; round++) {
            Cell[] cells = new Cell[CALLS];
            for (int i = 0; i < CALLS - 1; i++) {
                cells[i] = new Cell();
            }
            try {
                sum(cells);
            } catch (NullPointerException e) {
                caught++;
            }
        }
        System.out.println("caught " + caught);
    }

    private static int sum(Cell[] cells) {
        int sum = 0;
        for (Cell cell : cells) {
            sum += valueOf(cell);
        }
        return sum;
    }

    private static int valueOf(Cell cell) {
        return cell.value++;
    }
}
