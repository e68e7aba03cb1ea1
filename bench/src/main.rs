//! `cargo run --release -p bench -- all`: measures takeback beside the plain alternative, a shadow git, in the same run
//! on the same files. Prints a table and writes `bench.json` into the target folder. It judges nothing: a target that is
//! missed is shown as missed, and the exit status stays 0.
#![forbid(unsafe_code)]

mod amount;
mod arguments;
mod experiment;
mod history;
mod machine;
mod pairs;
mod product;
mod row;
mod scratch;
mod server;
mod shadow;
mod table;
mod text;
mod tree;

use std::process::ExitCode;

use arguments::Arguments;
use machine::Machine;
use product::Program;
use row::Row;
use scratch::Scratch;

/// Why nothing could be measured.
pub(crate) type Fault = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("bench: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Fault> {
    if cfg!(debug_assertions) {
        return Err("measure what is released: `cargo run --release -p bench -- all`".into());
    }
    let scratch = Scratch::beside_program()?;
    let program = Program::build(scratch.target())?;
    let machine = Machine::look(scratch.path())?;
    eprintln!("{machine}");
    let mut rows = Vec::new();
    for experiment in &arguments.experiments {
        eprintln!("… {}: {}", experiment.name, experiment.summary);
        rows.extend((experiment.run)(&experiment::Bench {
            scratch: &scratch,
            program: &program,
            sizes: &arguments.sizes,
        })?);
    }
    print!("{machine}\n{}", table::render(&rows));
    write_record(&scratch, &machine, &rows)
}

fn write_record(scratch: &Scratch, machine: &Machine, rows: &[Row]) -> Result<(), Fault> {
    let path = scratch.target().join("bench.json");
    let record = serde_json::json!({
        "schema": "takeback.bench/1",
        "machine": machine.to_json(),
        "rows": rows.iter().map(Row::to_json).collect::<Vec<_>>(),
    });
    std::fs::write(&path, format!("{record:#}\n")).map_err(|error| format!("write {}: {error}", path.display()))?;
    eprintln!("Written: {}", path.display());
    Ok(())
}
